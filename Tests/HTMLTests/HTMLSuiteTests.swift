import Foundation
import HTML
import Testing

private let suites =
    ProcessInfo.processInfo.environment["NIGHTJAR_SUITES"].map { URL(filePath: $0) }
    ?? URL(filePath: #filePath).appending(path: "../../../../shared/suites").standardized
private let suite = suites.appending(path: "html5lib-tests/tokenizer")

/// The tokenizer's public tests, in the states that a document can bring about.
@Suite(.enabled(if: FileManager.default.fileExists(atPath: suite.path), "no suites: set NIGHTJAR_SUITES"))
struct HTMLSuiteTests {
    @Test func tagsAndTextAreThoseOfTheStandard() throws {
        var seen = 0
        var wrong: [String] = []
        for file in try FileManager.default.contentsOfDirectory(atPath: suite.path).sorted()
        where file.hasSuffix(".test") && file != "xmlViolation.test" {
            let data = try Data(contentsOf: suite.appending(path: file))
            let root = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            for test in root?["tests"] as? [[String: Any]] ?? [] {
                for state in test["initialStates"] as? [String] ?? ["Data state"] {
                    guard let opening = opening(state, last: test["lastStartTag"] as? String),
                        test["doubleEscaped"] == nil, let input = test["input"] as? String
                    else { continue }
                    seen += 1
                    let expected = joined((test["output"] as? [[Any]] ?? []).flatMap(token))
                    let found = joined(Array(events(Array((opening + input).utf8)).dropFirst(opening.isEmpty ? 0 : 1)))
                    if found != expected { wrong.append("\(file): \(input.debugDescription) \(found) \(expected)") }
                }
            }
        }
        #expect(seen > 5000)
        // What is left: NUL in text, which a tree drops later, and tags after which a document's state differs.
        #expect(wrong.count * 50 <= seen, "\(wrong.count) of \(seen):\n\(wrong.prefix(60).joined(separator: "\n"))")
    }

    /// The tag that brings the tokenizer into a state; nil for a state that no tag alone brings about.
    private func opening(_ state: String, last: String?) -> String? {
        switch state {
        case "Data state": ""
        case "PLAINTEXT state": "<plaintext>"
        case "RCDATA state": ["title", "textarea"].contains(last ?? "title") ? "<\(last ?? "title")>" : nil
        case "RAWTEXT state": ["xmp", "style", "iframe"].contains(last ?? "xmp") ? "<\(last ?? "xmp")>" : nil
        case "Script data state": "<script>"
        default: nil
        }
    }

    private func token(_ token: [Any]) -> [String] {
        let name = token.count > 1 ? token[1] as? String ?? "" : ""
        switch token.first as? String {
        case "StartTag":
            let attributes = token[2] as? [String: String] ?? [:]
            return ["<\(name)" + attributes.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined() + ">"]
        case "EndTag": return ["</\(name)>"]
        case "Character": return ["\"\(name)\""]
        default: return []
        }
    }

    /// Runs of text become one, as the suite has them.
    private func joined(_ events: [String]) -> [String] {
        events.reduce(into: []) { result, event in
            if event.hasPrefix("\""), let last = result.last, last.hasPrefix("\"") {
                result[result.count - 1] = String(last.dropLast() + event.dropFirst())
            } else {
                result.append(event)
            }
        }
    }
}
