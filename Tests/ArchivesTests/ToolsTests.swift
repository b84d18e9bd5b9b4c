import Archives
import Foundation
import TestSupport
import Testing

@Suite("Other programs read our archives")
struct ToolsTests {
    /// Without the backslash, which is a separator to some of the programs.
    private let samples = difficultNames.filter { !$0.contains("\\") }.map {
        Sample(name: $0, content: Array("content of \($0)".utf8))
    }

    /// Unpacks with a program and compares names by bytes and content.
    private func compare(
        _ options: ArchiveOptions, tool: String, without: Unicode.Scalar? = nil,
        _ arguments: (String, String) -> [String]
    ) async throws {
        let samples = samples.filter { sample in !sample.name.unicodeScalars.contains { $0 == without } }
        let scratch = try Scratch()
        try Archive.write(samples, to: scratch.file("a"), options)
        let target = scratch.file("out")
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        // Some take names for bytes of the locale's.
        let arguments = ["LC_ALL=C.UTF-8", tool] + arguments(scratch.file("a"), target)
        #expect(try await Program.output("env", arguments) != nil)
        for sample in samples {
            let descriptor = open("\(target)/\(sample.name)", O_RDONLY)
            defer { close(descriptor) }
            var content = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &content, content.count)
            #expect(count >= 0 && Array(content[..<max(count, 0)]) == sample.content, "\(sample.name)")
        }
    }

    /// It composes names as it unpacks, so that two which differ in that alone become one.
    @Test(.enabled(if: Program.isInstalled("bsdtar")), arguments: everyOptions)
    func bsdtar(options: ArchiveOptions) async throws {
        try await compare(options, tool: "bsdtar", without: "\u{301}") { ["-xf", $0, "-C", $1] }
    }

    @Test(.enabled(if: Program.isInstalled("tar")), arguments: everyOptions.filter { $0.format == .tar })
    func gnuTar(options: ArchiveOptions) async throws {
        try await compare(options, tool: "tar") { ["-xf", $0, "-C", $1] }
    }

    /// It writes a question mark for a line feed.
    @Test(.enabled(if: Program.isInstalled("unzip")))
    func unzip() async throws {
        try await compare(ArchiveOptions(format: .zip), tool: "unzip", without: "\n") { ["-q", $0, "-d", $1] }
    }

    @Test(
        .enabled(if: Program.isInstalled("python3")),
        arguments: [ArchiveOptions(format: .zip), ArchiveOptions(format: .tar)])
    func python(options: ArchiveOptions) async throws {
        let module = options.format == .zip ? "zipfile" : "tarfile"
        try await compare(options, tool: "python3") { ["-m", module, "-e", $0, $1] }
    }

    @Test(
        .enabled(if: Program.isInstalled("7z")),
        arguments: [.zip, .tar, .sevenZip].map { ArchiveOptions(format: $0) } as [ArchiveOptions])
    func sevenZip(options: ArchiveOptions) async throws {
        try await compare(options, tool: "7z") { ["x", "-bd", "-o\($1)", $0] }
    }
}
