import TestSupport
import Testing

extension EndToEnd {
    @Suite("Hand-offs that are killed", .timeLimit(.minutes(3)))
    struct HandoffKillTests {
        private static let script =
            #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/scripts/soak/handoffs"

        /// A few of the moments that the script tries in full.
        @Test(
            "A bundle arrives once, and whole, whatever was killed",
            .enabled(if: Program.isInstalled("python3") && Program.isInstalled("cc")))
        func handoffs() async throws {
            let nightjar = Program.nightjar([]).path
            let trial = try Program.tool("python3", ["-B", Self.script, "--program", nightjar, "--kills", "16"])
            let outcome = try await trial.run(timeout: .seconds(170))
            #expect(outcome.ending == .exited(0), "\(outcome)")
            #expect(outcome.outputText.contains("each bundle arrived once, and whole"), "\(outcome)")
        }
    }
}
