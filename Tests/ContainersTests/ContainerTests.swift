import Containers
import Glibc
import TestSupport
import Testing

@Suite("Whole and damaged files")
struct ContainerTests {
    private func verdict(
        _ folder: Folder, _ name: String, _ expected: String? = nil
    ) throws -> ContainerVerdict {
        let descriptor = open("\(folder.path)/\(name)", O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        return try ContainerTest().test(descriptor: descriptor, expecting: expected)
    }

    private func isDamaged(_ verdict: ContainerVerdict) -> Bool {
        if case .damaged = verdict { true } else { false }
    }

    private static let made: [(name: String, command: [String])] = [
        ("a.zip", ["zip", "-qr", "a.zip", "text"]), ("stored.zip", ["zip", "-q0r", "stored.zip", "text"]),
        ("streamed.zip", ["sh", "-c", "zip -qr - text | cat > streamed.zip"]),
        ("locked.zip", ["zip", "-qr", "-P", "secret", "locked.zip", "text"]),
        ("a.gz", ["sh", "-c", "gzip -c text/a.txt > a.gz"]),
        ("two.gz", ["sh", "-c", "(gzip -c text/a.txt; gzip -c text/b.bin) > two.gz"]),
        ("a.tar", ["tar", "-cf", "a.tar", "text"]), ("pax.tar", ["tar", "--format=pax", "-cf", "pax.tar", "text"]),
        ("v7.tar", ["tar", "--format=v7", "-cf", "v7.tar", "text"]),
        ("a.tar.gz", ["tar", "-czf", "a.tar.gz", "text"]), ("a.tar.xz", ["tar", "-cJf", "a.tar.xz", "text"]),
        ("a.xz", ["sh", "-c", "xz -c text/b.bin > a.xz"]),
        ("a.zst", ["sh", "-c", "zstd -qc --check text/b.bin > a.zst"]),
        ("a.bz2", ["sh", "-c", "bzip2 -c text/b.bin > a.bz2"]), ("a.7z", ["7z", "a", "-bd", "a.7z", "text"]),
        ("a.jpg", []), ("a.png", []), ("a.pdf", []),
    ]

    private func make(_ samples: Samples, _ name: String, _ command: [String]) async throws -> Bool {
        switch name {
        case "a.jpg": try samples.folder.write(name, Samples.jpeg)
        case "a.png": try samples.folder.write(name, Samples.png)
        case "a.pdf": try samples.folder.write(name, Samples.pdf)
        default:
            let tool = name.split(separator: ".").last.map(String.init) ?? ""
            let needed = ["xz": "xz", "zst": "zstd", "bz2": "bzip2", "7z": "7z", "zip": "zip"][tool] ?? "tar"
            guard Program.isInstalled(needed) else { return false }
            try await samples.tool(command[0], Array(command.dropFirst()))
        }
        return true
    }

    @Test("A whole file is whole, and cut anywhere it is damaged", arguments: made.map(\.name))
    func cut(name: String) async throws {
        let command = Self.made.first { $0.name == name }?.command ?? []
        try await Samples.with { samples in
            guard try await make(samples, name, command) else { return }
            let folder = samples.folder
            let ending = name.split(separator: ".").last.map(String.init)
            #expect(try verdict(folder, name, ending) == .whole)
            let bytes = try folder.read(name)
            var cuts = [1, 2, 10, 50, 100].map { bytes.count - $0 }
            cuts += (0...20).map { bytes.count * $0 / 21 }
            for length in cuts where length >= 0 && length < bytes.count {
                // Zeros that fill up a tar's last record may be missing, and a PDF's last line ends as it likes.
                let rest = bytes[length...]
                if ending == "tar", rest.allSatisfy({ $0 == 0 }) { continue }
                if ending == "pdf", rest.count < 2 { continue }
                try folder.write("cut", Array(bytes[..<length]))
                #expect(isDamaged(try verdict(folder, "cut", ending)), "\(name) cut at \(length) of \(bytes.count)")
            }
        }
    }

    @Test("A tar without its end mark was cut")
    func tarEnd() async throws {
        try await Samples.with { samples in
            try await samples.tool("tar", ["-cf", "a.tar", "text"])
            let bytes = try samples.folder.read("a.tar")
            let end = (bytes.lastIndex { $0 != 0 } ?? 0) / 512 * 512 + 512
            try samples.folder.write("cut.tar", Array(bytes[..<end]))
            #expect(isDamaged(try verdict(samples.folder, "cut.tar")))
            try samples.folder.write("one.tar", Array(bytes[..<(end + 512)]))
            #expect(try verdict(samples.folder, "one.tar") == .whole)
        }
    }

    @Test(
        "A changed byte in content that has a checksum is found",
        arguments: [
            "a.zip", "stored.zip", "streamed.zip", "a.gz", "two.gz", "a.tar.gz", "a.xz", "a.zst", "a.bz2", "a.png",
        ])
    func changed(name: String) async throws {
        let command = Self.made.first { $0.name == name }?.command ?? []
        try await Samples.with { samples in
            guard try await make(samples, name, command) else { return }
            let bytes = try samples.folder.read(name)
            for step in 1...8 {
                var other = bytes
                // In the middle of content, not in fields that nothing checks.
                let place = name == "a.png" ? bytes.count - 20 - step : bytes.count / 4 + step * bytes.count / 24
                other[place] ^= 0x10
                try samples.folder.write("changed", other)
                #expect(isDamaged(try verdict(samples.folder, "changed")), "\(name) changed at \(place)")
            }
        }
    }

    @Test("What an extension promises must be there")
    func promises() async throws {
        try await Folder.temporary { folder in
            try folder.write("error", "{\"error\": \"not found\"}")
            try folder.write("empty", "")
            for name in ["zip", "docx", "gz", "tar.gz", "xz", "zst", "pdf", "png", "jpg", "tar", "7z", "epub", "jar"] {
                #expect(isDamaged(try verdict(folder, "error", name)), "\(name)")
                #expect(isDamaged(try verdict(folder, "empty", name)), "\(name)")
            }
            for name in ["txt", "json", "bin", "csv", "xls", "html", ""] {
                #expect(try verdict(folder, "error", name) == .untested)
                #expect(try verdict(folder, "empty", name) == .untested)
            }
            try folder.write("picture", Array("RIFF".utf8) + [9, 0, 0, 0] + Array("WEBPVP8 ".utf8))
            #expect(try verdict(folder, "picture", "jpg") == .untested, "servers mix up pictures")
            try folder.write("png", Samples.png)
            #expect(try verdict(folder, "png", "jpg") == .whole)
            try folder.write("junk", Array("junk before\n".utf8) + Samples.pdf + [0, 0, 0, 10])
            #expect(try verdict(folder, "junk", "pdf") == .whole)
        }
    }

    @Test("An office file has its parts", .enabled(if: Program.isInstalled("zip")))
    func office() async throws {
        try await Samples.with { samples in
            for name in ["[Content_Types].xml", "word/document.xml", "content.xml", "META-INF/container.xml"] {
                try samples.folder.write(name, "<x/>")
            }
            try await samples.tool("zip", ["-qr", "a.docx", "-nw", "[Content_Types].xml", "word"])
            try await samples.tool("zip", ["-qr", "half.docx", "word"])
            try await samples.tool("zip", ["-qr", "a.odt", "content.xml"])
            try await samples.tool("zip", ["-qr", "a.epub", "META-INF"])
            for (name, kind) in [("a.docx", "docx"), ("a.odt", "odt"), ("a.epub", "epub"), ("half.docx", "zip")] {
                #expect(try verdict(samples.folder, name, kind) == .whole, "\(name)")
            }
            for (name, kind) in [("half.docx", "docx"), ("a.docx", "xlsx"), ("a.odt", "epub"), ("a.epub", "ods")] {
                #expect(isDamaged(try verdict(samples.folder, name, kind)), "\(name) as \(kind)")
            }
        }
    }

    @Test("Bytes before a zip or behind a tar and gzip's zeros are no damage; others behind a gzip are")
    func surroundings() async throws {
        try await Samples.with { samples in
            let folder = samples.folder
            try await samples.tool("sh", ["-c", "zip -qr a.zip text; gzip -c text/a.txt > a.gz; tar -cf a.tar text"])
            try folder.write("self.zip", Array("#!/bin/sh\nexit\n".utf8) + (try folder.read("a.zip")))
            #expect(try verdict(folder, "self.zip", "bin") == .untested)
            try folder.write("filled.gz", try folder.read("a.gz") + [UInt8](repeating: 0, count: 3000))
            #expect(try verdict(folder, "filled.gz", "gz") == .whole)
            try folder.write("junk.gz", try folder.read("a.gz") + Array("<html>".utf8))
            #expect(isDamaged(try verdict(folder, "junk.gz", "gz")))
            try folder.write("long.tar", try folder.read("a.tar") + [UInt8](repeating: 7, count: 900))
            #expect(try verdict(folder, "long.tar", "tar") == .whole)
        }
    }

    /// A gigabyte of zeros and more in few bytes: the test ends at its bound and calls nothing damaged.
    @Test("A bomb costs bounded time", .enabled(if: Program.isInstalled("zip")), .timeLimit(.minutes(2)))
    func bomb() async throws {
        try await Samples.with { samples in
            try await samples.tool("sh", ["-c", "head -c 1200000000 /dev/zero | gzip -1 > bomb.gz"])
            let start = ContinuousClock.now
            let verdict = try verdict(samples.folder, "bomb.gz", "gz")
            if case .cut = verdict {} else { #expect(verdict == .whole) }
            #expect(ContinuousClock.now - start < .seconds(60))
        }
    }

    @Test("Bytes changed at random crash nothing", .timeLimit(.minutes(2)))
    func hostile() async throws {
        try await Samples.with { samples in
            var random = SystemRandomNumberGenerator()
            for (name, command) in Self.made {
                guard try await make(samples, name, command) else { continue }
                let bytes = try samples.folder.read(name)
                for _ in 0..<40 {
                    var other = bytes
                    for _ in 0..<(1...20).randomElement(using: &random, or: 1) {
                        // Most of what steers a reader stands at both ends.
                        let near = min(600, bytes.count - 1)
                        let offset = Int.random(in: 0...near, using: &random)
                        other[Bool.random(using: &random) ? offset : bytes.count - 1 - offset] = UInt8.random(
                            in: 0...255, using: &random)
                    }
                    try samples.folder.write("hostile", other)
                    _ = try verdict(samples.folder, "hostile")
                }
            }
        }
    }
}

extension ClosedRange<Int> {
    fileprivate func randomElement(using random: inout SystemRandomNumberGenerator, or other: Int) -> Int {
        randomElement(using: &random) ?? other
    }
}
