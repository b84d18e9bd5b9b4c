import JSON
import TestSupport
import Testing

/// The answers of `nightjar explain --batch` to lines on standard input, one for each.
func explain(_ subcommand: String, _ lines: [String], expecting status: Int32 = 0) async throws -> [JSONValue] {
    try await Folder.temporary { folder in
        try folder.write("questions", lines.map { $0 + "\n" }.joined())
        var program = Program.nightjar(["explain", subcommand, "--batch"])
        program.inputFile = "\(folder.path)/questions"
        let outcome = try await program.run()
        #expect(outcome.ending == .exited(status), "\(outcome)")
        #expect(outcome.errors.isEmpty)
        let answers = try outcome.output.split(separator: UInt8(ascii: "\n")).map { try JSONValue(parsing: $0) }
        #expect(answers.count == lines.count)
        return answers
    }
}
