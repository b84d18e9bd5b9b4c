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
    private func compare(_ options: ArchiveOptions, tool: String, _ arguments: (String, String) -> [String])
        async throws
    {
        let scratch = try Scratch()
        try Archive.write(samples, to: scratch.file("a"), options)
        let target = scratch.file("out")
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        #expect(try await Program.output(tool, arguments(scratch.file("a"), target)) != nil)
        for sample in samples {
            let descriptor = open("\(target)/\(sample.name)", O_RDONLY)
            defer { close(descriptor) }
            var content = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &content, content.count)
            #expect(count >= 0 && Array(content[..<max(count, 0)]) == sample.content, "\(sample.name)")
        }
    }

    @Test(.enabled(if: Program.isInstalled("bsdtar")), arguments: everyOptions)
    func bsdtar(options: ArchiveOptions) async throws {
        let scratch = try Scratch()
        try Archive.write(samples, to: scratch.file("a"), options)
        let listing = try #require(try await Program.output("bsdtar", ["-tf", scratch.file("a")]))
        #expect(listing.split(separator: "\n").count >= samples.count)
    }

    @Test(.enabled(if: Program.isInstalled("tar")), arguments: everyOptions.filter { $0.format == .tar })
    func gnuTar(options: ArchiveOptions) async throws {
        try await compare(options, tool: "tar") { ["-xf", $0, "-C", $1] }
    }

    @Test(.enabled(if: Program.isInstalled("unzip")))
    func unzip() async throws {
        let scratch = try Scratch()
        try Archive.write(samples, to: scratch.file("a"), ArchiveOptions(format: .zip))
        #expect(try await Program.output("unzip", ["-tq", scratch.file("a")]) != nil)
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
        let scratch = try Scratch()
        try Archive.write(samples, to: scratch.file("a"), options)
        #expect(try await Program.output("7z", ["t", scratch.file("a")]) != nil)
    }
}
