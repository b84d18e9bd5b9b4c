import Archives
import Foundation

/// A folder that goes when the test does.
final class Scratch {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("nightjar-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }
}

struct Sample: Hashable {
    var name: String
    var content: [UInt8]
    var modified: Int64 = 1_700_000_000
    var stored = false
    var linkTo: String?
}

enum Archive {
    /// Writes an archive and gives its bytes.
    @discardableResult
    static func write(
        _ samples: [Sample], to path: String, _ options: ArchiveOptions, chunk: Int = 1000
    ) throws -> [UInt8] {
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
        defer { close(descriptor) }
        var seen: [UInt8] = []
        let writer = try ArchiveWriter(descriptor: descriptor, options: options) { seen += $0 }
        for sample in samples {
            if let target = sample.linkTo {
                try writer.addHardLink(sample.name, to: target, modified: sample.modified)
                continue
            }
            try writer.beginFile(
                sample.name, bytes: Int64(sample.content.count), modified: sample.modified, stored: sample.stored)
            var rest = sample.content[...]
            while !rest.isEmpty {
                try rest.prefix(chunk).withUnsafeBytes { try writer.write($0) }
                rest = rest.dropFirst(chunk)
            }
            try writer.endFile()
        }
        let bytes = try writer.finish()
        guard bytes == seen.count else { throw CocoaError(.fileWriteUnknown) }
        return seen
    }

    static func read(_ path: String, _ options: ArchiveOptions? = nil) throws -> [(
        entry: ArchiveEntry, content: [UInt8]
    )] {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        let reader = try ArchiveReader(
            descriptor: descriptor, format: options?.format, passphrase: options?.passphrase)
        var result: [(ArchiveEntry, [UInt8])] = []
        while let entry = try reader.next() {
            var content: [UInt8] = []
            while true {
                let piece = try reader.read()
                if piece.isEmpty { break }
                content += piece
            }
            result.append((entry, content))
        }
        return result
    }
}

/// Every combination that bundles are made of.
let everyOptions: [ArchiveOptions] = [
    ArchiveOptions(format: .tar), ArchiveOptions(format: .tar, filter: .gzip),
    ArchiveOptions(format: .tar, filter: .zstd), ArchiveOptions(format: .tar, filter: .xz, level: 1),
    ArchiveOptions(format: .zip), ArchiveOptions(format: .sevenZip, level: 1),
]

/// Names that archives get wrong: scripts, composed and decomposed, long, deep, odd.
let difficultNames: [String] = [
    "-rf", "a b  c ", "back\\slash", "caf\u{E9}.txt", "cafe\u{301}.txt", "line\nfeed", "plain.txt",
    "\u{C774}\u{BC88} \u{B2EC}/\u{BCF4}\u{ACE0}\u{C11C}.pdf", "\u{1F389}\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}.bin",
    "\u{5E9}\u{5DC}\u{5D5}\u{5DD}.txt", "\u{645}\u{631}\u{62D}\u{628}\u{627}.txt", "\u{0E2A}\u{0E27}.txt",
    String(repeating: "\u{D55C}", count: 85), String(repeating: "x", count: 255),
    Array(repeating: String(repeating: "d", count: 200), count: 10).joined(separator: "/"),
]
