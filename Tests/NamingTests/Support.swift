import Foundation
import Magic
import Model
import Templates
import Testing
import Times
import URLs

@testable import Naming

let suites =
    ProcessInfo.processInfo.environment["NIGHTJAR_SUITES"]
    ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../shared/suites")
    .standardizedFileURL.path

func suite(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: "\(suites)/\(name)")) }

func hasSuite(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(suites)/\(name)") }

private let loaded = Result { try MIMETypes() }

func mimeTypes() throws -> MIMETypes { try loaded.get() }

/// Header text as bytes: one byte a character up to U+00FF, UTF-8 where there are others.
func headerBytes(_ text: String) -> [UInt8] {
    let scalars = text.unicodeScalars
    guard scalars.allSatisfy({ $0.value < 256 }) else { return Array(text.utf8) }
    return scalars.map { UInt8(truncatingIfNeeded: $0.value) }
}

func webURL(_ text: String) throws -> WebURL { try #require(WebURL(text), "\(text)") }

/// 2026-11-30T08:00:00Z.
let runStart = 1_796_025_600.0

func makeNamer(
    _ template: String = "{stem}.{ext}", types: [(match: String, extension: String)] = [], zone: Zone = .utc,
    sniffs: Bool = true
) throws -> Namer {
    var rules = NamingRules(template: try Template(template, fields: .name))
    rules.types = types
    return Namer(
        rules: rules, job: "job", run: "20261130T080000Z-abc123", runStart: runStart, zone: zone,
        types: try mimeTypes(), sniffer: sniffs ? ContentSniffer() : nil)
}

func facts(
    _ url: String, final: String? = nil, type: String? = nil, disposition: String? = nil, charset: String? = nil,
    download: String? = nil, text: String? = nil, content: String? = nil
) throws -> NameFacts {
    var facts = NameFacts(first: try webURL(url), final: try final.map(webURL))
    facts.contentType = type.map { Array($0.utf8) }
    facts.disposition = disposition.map(headerBytes)
    facts.charset = charset
    facts.download = download
    facts.text = text
    facts.prefix = content.map { $0.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
    return facts
}

private let deviceNames = Set(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"]
        + ["COM", "LPT"].flatMap { name in "0123456789¹²³".map { "\(name)\($0)" } })

/// Why a path is not one that every file system takes; nil when it is.
func danger(_ path: String) -> String? {
    for component in path.split(separator: "/", omittingEmptySubsequences: false) {
        let scalars = component.unicodeScalars
        if component.isEmpty { return "empty" }
        if component.utf8.count > 255 { return "longer than 255 bytes" }
        if component.hasPrefix(".") || component.hasPrefix("-") || component.hasPrefix(" ") { return "start" }
        if component.hasSuffix(".") || component.hasSuffix(" ") { return "end" }
        for scalar in scalars {
            if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) { return "control" }
            if "/\\:*?\"<>|".unicodeScalars.contains(scalar) { return "forbidden on Windows" }
            if (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value) { return "bidi" }
            if scalar.value == 0x200E || scalar.value == 0x200F { return "bidi mark" }
        }
        let base = component.split(separator: ".")[0].trimmingCharacters(in: .whitespaces).uppercased()
        if deviceNames.contains(base) { return "device" }
        let composed = String(component).precomposedStringWithCanonicalMapping
        if !composed.utf8.elementsEqual(component.utf8) { return "not NFC" }
    }
    return nil
}
