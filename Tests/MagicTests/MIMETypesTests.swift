import Testing

@testable import Magic

@Suite struct MIMETypesTests {
    static let types = Result { try MIMETypes() }

    @Test(arguments: [
        ("application/pdf", "pdf"), ("application/x-pdf", "pdf"), ("image/jpeg", "jpg"), ("image/jpg", "jpg"),
        ("text/plain", "txt"), ("text/html", "html"), ("application/vnd.ms-excel", "xls"), ("video/mp4", "mp4"),
        ("application/x-compressed-tar", "tar.gz"), ("application/zip", "zip"), ("application/x-zip-compressed", "zip"),
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"), ("text/csv", "csv"),
        ("application/haansofthwp", "hwp"), ("application/x-ndjson", "ndjson"), ("text/xml", "xml"),
    ])
    func knowsTheUsualExtension(type: String, name: String) throws {
        #expect(try MIMETypesTests.types.get().extensions(of: type).first == name)
    }

    @Test func everyPreferredExtensionExists() throws {
        let types = try MIMETypesTests.types.get()
        for (type, name) in TypeAdditions.preferred { #expect(types.extensions(of: type).first == name, "\(type)") }
    }

    @Test func knowsKinds() throws {
        let types = try MIMETypesTests.types.get()
        let word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
        #expect(types.isKind(word, of: "application/zip"))
        #expect(types.isKind("application/x-compressed-tar", of: "application/x-gzip"))
        #expect(!types.isKind("application/zip", of: word))
        #expect(types.types(ofExtension: "tar.gz") == ["application/x-compressed-tar"])
        #expect(types.types(ofExtension: "nonsense").isEmpty)
    }

    @Test func saysWhatToInstall() {
        let error = #expect(throws: MIMETypesError.self) { try MIMETypes(directory: "/nonexistent") }
        #expect(error?.message.contains("shared-mime-info") == true)
    }
}

@Suite struct ContentSnifferTests {
    private let sniffer = ContentSniffer()

    @Test(arguments: [
        ("%PDF-1.7\n", "application/pdf"), ("<!doctype HTML><p>", "text/html"), ("plain words\n", "text/plain"),
        (" <!-- note -->\n<div class=x>", "text/html"), ("\u{89}", nil), ("", nil),
        ("GIF89a\u{1}\0\u{1}\0", "image/gif"),
        ("WARC/1.0\r\n", "application/warc"), ("<?xml version=\"1.0\"?><a/>", "text/xml"),
        ("#include <stdio.h>\nint main(void) { return 0; }\n", "text/plain"),
    ])
    func tells(text: String, type: String?) throws {
        let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        #expect(try sniffer.type(of: bytes) == type)
    }

    /// The head of a zip's entry, with its content.
    static func entry(_ name: String, _ content: String = "", isStored: Bool = true) -> [UInt8] {
        [0x50, 0x4B, 3, 4, 20, 0, 0, 0, isStored ? 0 : 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            + [UInt8(name.utf8.count), 0, 0, 0] + Array(name.utf8) + Array(content.utf8)
    }

    @Test(arguments: [
        (["[Content_Types].xml", "_rels/.rels", "word/document.xml"], "docx"),
        (["[Content_Types].xml", "xl/a"], "xlsx"),
        (["ppt/presentation.xml"], "pptx"), (["META-INF/", "META-INF/MANIFEST.MF"], "jar"),
        (["META-INF/MANIFEST.MF", "AndroidManifest.xml"], "apk"), (["readme.txt"], "zip"), (["doc.kml"], "kmz"),
    ])
    func looksIntoZips(names: [String], name: String) throws {
        let bytes = names.flatMap { ContentSnifferTests.entry($0, "some content PK") }
        let type = try #require(try sniffer.type(of: bytes))
        #expect(try MIMETypesTests.types.get().extensions(of: type).first == name)
    }

    @Test(arguments: [
        "application/vnd.oasis.opendocument.text", "application/epub+zip", "application/hwp+zip",
    ])
    func readsStoredTypes(type: String) throws {
        #expect(
            try sniffer.type(of: ContentSnifferTests.entry("mimetype", type) + ContentSnifferTests.entry("a")) == type)
    }

    @Test func survivesDamagedZips() {
        let whole = ContentSnifferTests.entry("mimetype", "application/epub+zip") + ContentSnifferTests.entry("word/x")
        for length in 0...whole.count { _ = zipType(Array(whole[..<length])) }
        var wild = whole
        wild[26] = 255
        wild[27] = 255
        wild[28] = 255
        wild[29] = 255
        #expect(zipType(wild) == "application/zip")
    }

    @Test func manyAskAtOnce() async throws {
        let sniffer = sniffer
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<50 { group.addTask { try sniffer.type(of: Array("GIF89a\u{1}\0\u{1}\0".utf8)) } }
            for try await type in group { #expect(type == "image/gif") }
        }
    }
}
