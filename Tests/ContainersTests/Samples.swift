import Foundation
import TestSupport

/// Files of every kind that is tested, made by tools that are not ours.
struct Samples {
    let folder: Folder

    static func with<Result>(_ body: (Samples) async throws -> sending Result) async throws -> sending Result {
        try await Folder.temporary { folder in
            try folder.write("text/a.txt", String(repeating: "A line of text that compresses well.\n", count: 400))
            try folder.write("text/b.bin", SeededBytes.bytes(20_000, seed: 5))
            return try await body(Samples(folder: folder))
        }
    }

    func tool(_ name: String, _ arguments: [String]) async throws {
        var program = try Program.tool("sh", ["-c", "cd \"$0\" && exec \"$@\"", folder.path, name] + arguments)
        program.environment["LC_ALL"] = "C"
        let outcome = try await program.run()
        guard outcome.ending == .exited(0) else { throw ToolFailure(text: "\(name) \(arguments): \(outcome)") }
    }

    struct ToolFailure: Error {
        let text: String
    }

    /// A thumbnail with an end mark of its own lies in its first segment; its data has a restart and an escaped byte.
    static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE1, 0, 12] + Array("Exif".utf8) + [0, 0, 0xFF, 0xD8, 0xFF, 0xD9]
        + [0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 9, count: 64)
        + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0] + [UInt8](repeating: 0x5A, count: 200) + [0xFF, 0, 0xFF, 0xD0]
        + [UInt8](repeating: 0xA5, count: 200) + [0xFF, 0xD9]
    static let png =
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAICAIAAABRUclSAAAAc0lEQVR4nAFoAJf/AHlCvfIhBvCEd2Lw8wDLTXZNxwcgURW"
                + "aD4kA8sbayuNEuzESRf1vAITfmtfFs9B2rA6PUwCnNWyIkT8g9vctsCIA0k0KltrUPBYXwamOAHgSngMnNxBl0JWGTwAVra"
                + "C4RsHA68U0itzvgjBg6moTdAAAAABJRU5ErkJggg=="
        ).map { Array($0) } ?? []
    static let pdf = Array(
        """
        %PDF-1.4
        1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
        2 0 obj <</Type/Pages/Kids[]/Count 0>> endobj
        xref
        0 3
        0000000000 65535 f\u{20}
        0000000009 00000 n\u{20}
        0000000054 00000 n\u{20}
        trailer <</Root 1 0 R/Size 3>>
        startxref
        100
        %%EOF

        """.utf8)
}
