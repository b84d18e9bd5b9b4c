import Foundation
import Testing

@testable import Magic

private let suites =
    ProcessInfo.processInfo.environment["NIGHTJAR_SUITES"]
    ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../shared/suites")
    .standardizedFileURL.path

@Suite struct MIMETypeTests {
    @Test(arguments: [
        ("text/html", "text/html"), (" TEXT/Html ; Charset=UTF-8 ", "text/html;charset=UTF-8"),
        ("text/html;charset=\"a b\"", "text/html;charset=\"a b\""), ("a/b;x=1;x=2", "a/b;x=1"),
        ("a/b;x=\"1\\\"2\"", "a/b;x=\"1\\\"2\""), ("a/b;x=\"unclosed", "a/b;x=unclosed"), ("a/b;;;x=1", "a/b;x=1"),
        ("a/b;x", "a/b"), ("a/b;=x;y=", "a/b"), ("a/b;x=\"\"", "a/b;x=\"\""), ("a/b;x=\"y\"z;q=1", "a/b;x=y;q=1"),
    ])
    func reads(text: String, serialized: String) { #expect(MIMEType(text)?.serialized == serialized) }

    @Test(arguments: ["", "text", "/html", "text/", "te xt/html", "text/ht ml", ";a=b", "text/html,text/plain", "é/x"])
    func refuses(text: String) { #expect(MIMEType(text) == nil) }

    @Test func aHostileHeaderCostsLittle() {
        let many = "a/b" + (0..<200_000).map { ";p\($0)=1" }.joined()
        #expect(MIMEType(many)?.parameters.count == 100)
    }

    struct Row: Decodable { let input: String, output: String? }
    struct Entry: Decodable {
        let row: Row?
        init(from decoder: any Decoder) throws {
            row = try? decoder.singleValueContainer().decode(Row.self)
        }
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: suites + "/mime-wpt")),
        arguments: ["mime-types", "generated-mime-types"])
    func browsersAgree(file: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(suites)/mime-wpt/\(file).json"))
        let rows = try JSONDecoder().decode([Entry].self, from: data).compactMap(\.row)
        let wrong = rows.filter { row in
            let bytes = row.input.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            return MIMEType(bytes)?.serialized.unicodeScalars.map(\.value) != row.output?.unicodeScalars.map(\.value)
        }
        #expect(rows.count > 40)
        #expect(wrong.isEmpty, "\(wrong)")
    }
}
