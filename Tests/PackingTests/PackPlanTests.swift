import Model
import Testing

@testable import Packing

@Suite("What a bundle is to hold")
struct PackPlanTests {
    private func item(_ name: String, modified: Int64 = 1_700_000_000, bytes: Int64 = 1) -> PackItem {
        PackItem(name: name, object: "o", bytes: bytes, sha256: Array(repeating: 7, count: 32), modified: modified)
    }

    @Test(arguments: [
        "", "/etc/passwd", "..", "../x", "a/../b", "a/..", ".", "./a", "a//b", "a/", "a/./b", "nul\0byte",
    ])
    func namesThatLeadElsewhereAreRefused(name: String) {
        var plan = PackPlan(format: .tar)
        #expect(throws: Failure.self) { try plan.entry(for: item(name), twin: nil) }
    }

    @Test(arguments: ["a", ".hidden", "...", "..a", "a..", "-rf", "a b", "\u{D55C}/\u{AE00}", "line\nfeed"])
    func otherNamesAreTaken(name: String) throws {
        var plan = PackPlan(format: .tar)
        #expect(try plan.entry(for: item(name), twin: nil) == .file(modified: 1_700_000_000))
    }

    @Test func backslashesAreRefusedInZipAlone() throws {
        var tar = PackPlan(format: .tar)
        #expect(throws: Never.self) { try tar.entry(for: item("a\\b"), twin: nil) }
        var zip = PackPlan(format: .zip)
        #expect(throws: Failure.self) { try zip.entry(for: item("..\\b"), twin: nil) }
    }

    @Test func namesComeInTheOrderOfTheirBytes() throws {
        var plan = PackPlan(format: .tar)
        for name in ["Z", "a", "a/b", "a0", "cafe\u{301}", "caf\u{E9}", "\u{D55C}"] {
            _ = try plan.entry(for: item(name), twin: nil)
        }
        #expect(throws: Failure.self) { try plan.entry(for: item("\u{D55C}"), twin: nil) }
        #expect(throws: Failure.self) { try plan.entry(for: item("b"), twin: nil) }
    }

    @Test(arguments: BundleFormat.allCases)
    func duplicatesAreLinksInTar(format: BundleFormat) throws {
        var plan = PackPlan(format: format)
        let entry = try plan.entry(for: item("b"), twin: "a")
        #expect(
            entry
                == ([.zip, .sevenZip].contains(format)
                    ? .file(modified: 1_700_000_000) : .hardLink(to: "a", modified: 1_700_000_000)))
        #expect(try plan.entry(for: item("c", bytes: 0), twin: "a") == .file(modified: 1_700_000_000))
    }

    @Test func timesAreClampedInZipWithOneWarning() throws {
        var zip = PackPlan(format: .zip)
        #expect(try zip.entry(for: item("a", modified: -1), twin: nil) == .file(modified: 315_532_800))
        #expect(try zip.entry(for: item("b", modified: 1 << 40), twin: nil) == .file(modified: 4_294_967_294))
        #expect(zip.warnings.map(\.code) == ["zip-time"])
        var tar = PackPlan(format: .tarXz)
        #expect(try tar.entry(for: item("a", modified: -1), twin: nil) == .file(modified: -1))
        #expect(tar.warnings.isEmpty)
    }

    @Test(
        arguments: [
            ([], "SHA256SUMS"), (["x/SHA256SUMS"], "SHA256SUMS"), (["SHA256SUMS"], "SHA256SUMS-2"),
            (["Sha256Sums"], "SHA256SUMS-2"), (["SHA256SUMS", "sha256sums-2"], "SHA256SUMS-3"),
            (["SHA256SUMS-2"], "SHA256SUMS"),
        ] as [([String], String)])
    func theListOfDigestsStepsAside(names: [String], expected: String) throws {
        var plan = PackPlan(format: .tar)
        for name in names { _ = try plan.entry(for: item(name), twin: nil) }
        #expect(plan.tagName("SHA256SUMS", isBag: false) == expected)
        #expect(plan.warnings.isEmpty == (expected == "SHA256SUMS"))
    }

    @Test(arguments: [
        ("a.jpg", "plain", true), ("A.JPG", "plain", true), ("a.txt", "plain", false), ("a.pdf", "%PDF-1.7", false),
        ("a", "\u{1F}", false), ("noext", "PK\u{3}\u{4}rest", true), ("a.html", "GIF89a", true), ("a.", "", false),
        ("clip", "\0\0\0\u{18}ftypmp42", true), ("x.tar.zst", "", true), ("zip", "", false),
    ])
    func compressedContentIsKnown(name: String, start: String, expected: Bool) {
        let bytes = Array(start.utf8)
        #expect(bytes.withUnsafeBytes { CompressedContent.isCompressed(name: name, prefix: $0) } == expected)
    }

    @Test func theManifestStepsAsideToo() throws {
        var plan = PackPlan(format: .tar)
        _ = try plan.entry(for: item("Manifest.JSON"), twin: nil)
        #expect(plan.tagName("MANIFEST", ".json", isBag: true) == "MANIFEST.json")
        #expect(plan.tagName("MANIFEST", ".json", isBag: false) == "MANIFEST-2.json")
        #expect(plan.warnings.map(\.code) == ["manifest-renamed"])
    }

    @Test(
        arguments: [
            ("*.pdf", "a.pdf", true), ("*.pdf", "x/y/a.pdf", true), ("*.pdf", "a.pdf.txt", false),
            ("report-*", "2026/report-1.csv", true), ("2026/*", "2026/x/y", true), ("2026/*", "a/2026/x", false),
            ("a?c", "abc", true), ("a?c", "ac", false), ("[a]", "[a]", true), ("[a]", "a", false), ("*", "", true),
            ("\u{D55C}?", "\u{D55C}\u{AE00}", true), ("*a*a*a*b", String(repeating: "a", count: 5000), false),
        ] as [(String, String, Bool)])
    func globs(glob: String, name: String, expected: Bool) { #expect(NameFilter.matches(glob, name) == expected) }

    @Test(arguments: [
        ("b.tar.gz", 1, "b.tar.gz"), ("b.tar.gz", 2, "b-2.tar.gz"), ("b", 3, "b-3"), (".tar.gz", 2, ".tar.gz-2"),
        ("b.zip", 2, "b.zip-2"),
    ])
    func numbersStandBeforeTheExtension(name: String, number: Int, expected: String) {
        #expect(numbered(name, number, extension: "tar.gz") == expected)
    }

    @Test(arguments: ["plain", "with space", "back\\slash", "line\nfeed", "\r", "\\n", "\u{D55C}", "\\\\\n\\"])
    func checksumLinesAreReadAsWritten(name: String) throws {
        let line = ChecksumLine(digest: Array(0..<32), name: name)
        #expect(line.bytes.filter { $0 == 10 }.count == 1)
        #expect(ChecksumLine(line.bytes.dropLast()) == line)
    }
}
