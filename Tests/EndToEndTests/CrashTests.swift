import TestSupport
import Testing

extension EndToEnd {
    @Suite("Crashes and failing calls", .timeLimit(.minutes(3)))
    struct CrashTests {
        private static let script =
            #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/scripts/soak/crash"

        /// A few of the steps that the script tries in full.
        @Test(
            "Nothing is lost by a kill, a torn write or a failing call at any step",
            .enabled(if: Program.isInstalled("python3") && Program.isInstalled("cc")))
        func crash() async throws {
            let nightjar = Program.nightjar([]).path
            let trial = try Program.tool(
                "python3", [Self.script, "--program", nightjar, "--kills", "14", "--faults", "8"])
            let outcome = try await trial.run(timeout: .seconds(170))
            #expect(outcome.ending == .exited(0), "\(outcome)")
            #expect(outcome.outputText.contains("nothing was lost"), "\(outcome)")
        }
    }
}
