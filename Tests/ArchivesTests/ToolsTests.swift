import Archives
import Foundation
import Testing

/// A program of the machine that reads archives; looked for in PATH.
enum Tool {
    static func path(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    static func has(_ name: String) -> Bool { path(name) != nil }

    /// What the program printed; nil when it failed.
    static func output(_ name: String, _ arguments: [String]) throws -> Data? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path(name) ?? name)
        process.arguments = arguments
        process.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "LC_ALL": "C.UTF-8", "TZ": "UTC",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? data : nil
    }
}

@Suite("Other programs read our archives")
struct ToolsTests {
    /// Without the backslash, which is a separator to some of the programs.
    private let samples = difficultNames.filter { !$0.contains("\\") }.map {
        Sample(name: $0, content: Array("content of \($0)".utf8))
    }

    /// Unpacks with a program and compares names by bytes and content.
    private func compare(_ options: ArchiveOptions, tool: String, _ arguments: (String, String) -> [String]) throws {
        let scratch = try Scratch()
        try Archive.write(samples, to: scratch.file("a"), options)
        let target = scratch.file("out")
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        #expect(try Tool.output(tool, arguments(scratch.file("a"), target)) != nil)
        for sample in samples {
            let descriptor = open("\(target)/\(sample.name)", O_RDONLY)
            defer { close(descriptor) }
            var content = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &content, content.count)
            #expect(count >= 0 && Array(content[..<max(count, 0)]) == sample.content, "\(sample.name)")
        }
    }

    @Test(.enabled(if: Tool.has("bsdtar")), arguments: everyOptions)
    func bsdtar(options: ArchiveOptions) throws {
        let scratch = try Scratch()
        try Archive.write(samples, to: scratch.file("a"), options)
        let listing = try #require(try Tool.output("bsdtar", ["-tf", scratch.file("a")]))
        #expect(listing.split(separator: 10).count >= samples.count)
    }

    @Test(.enabled(if: Tool.has("tar")), arguments: everyOptions.filter { $0.format == .tar })
    func gnuTar(options: ArchiveOptions) throws {
        try compare(options, tool: "tar") { ["-xf", $0, "-C", $1] }
    }

    @Test(.enabled(if: Tool.has("unzip")))
    func unzip() throws {
        let scratch = try Scratch()
        try Archive.write(samples, to: scratch.file("a"), ArchiveOptions(format: .zip))
        #expect(try Tool.output("unzip", ["-tq", scratch.file("a")]) != nil)
    }

    @Test(.enabled(if: Tool.has("python3")), arguments: [ArchiveOptions(format: .zip), ArchiveOptions(format: .tar)])
    func python(options: ArchiveOptions) throws {
        let module = options.format == .zip ? "zipfile" : "tarfile"
        try compare(options, tool: "python3") { ["-m", module, "-e", $0, $1] }
    }

    @Test(.enabled(if: Tool.has("7z")), arguments: [ArchiveOptions(format: .zip), ArchiveOptions(format: .tar)])
    func sevenZip(options: ArchiveOptions) throws {
        let scratch = try Scratch()
        try Archive.write(samples, to: scratch.file("a"), options)
        #expect(try Tool.output("7z", ["t", scratch.file("a")]) != nil)
    }
}
