import Codings
import FoundationEssentials
import TestSupport

/// Chooses answers as the server of curl's tests does: by the digits at the end of the path, and by what was asked
/// before.
struct CurlServer {
    private let answers: [String: [UInt8]]
    private let number: String
    /// The section that tells the next request to take the one after it.
    private var bounced: Int?

    init(_ row: CurlRow, port: UInt16) {
        number = row.number
        answers = Dictionary(
            row.replies.map { reply in
                let marks = [
                    ("%TESTNUMBER", row.number), ("%HTTPPORT", "\(port)"), ("%HTTP6PORT", "\(port)"),
                    ("%HOSTIP", "127.0.0.1"), ("%HOST6IP", "127.0.0.1"),
                ]
                return (reply.section, marks.reduce(reply.raw) { replacing($1.0, with: $1.1, in: $0) })
            }, uniquingKeysWith: { first, _ in first })
    }

    /// - Parameter target: path or URL of a request.
    mutating func answer(_ target: String) -> [UInt8]? {
        var section = self.section(of: target)
        if let last = bounced { section = last + 1 }
        bounced = nil
        guard let raw = answers[section == 0 ? "data" : "data\(section)"] else { return nil }
        if raw.firstRange(of: Array("swsbounce".utf8)) != nil { bounced = section }
        return raw
    }

    /// Only what has no digits of its own goes to the first.
    private func section(of target: String) -> Int {
        let runs = target.prefix { $0 != "#" }.split { !$0.isASCII || !$0.isNumber }
        guard let run = runs.last(where: { $0.hasPrefix(number) }) else { return 0 }
        return Int(run.dropFirst(number.count)) ?? 0
    }
}

/// What must come of a fetch, worked out from the answers without Nightjar's own reading of them.
enum CurlExpectation: CustomStringConvertible {
    case failure
    case unchanged
    case body([UInt8])

    var description: String {
        switch self {
        case .failure: "failure expected"
        case .unchanged: "no change expected"
        case .body(let bytes): "\(bytes.count) bytes expected"
        }
    }

    /// Nil when the answers alone do not tell.
    /// - Parameters:
    ///   - kept: the beginning of the body that is there already.
    ///   - retries: tries after the first.
    init?(
        _ url: String, _ server: inout CurlServer, kept: [UInt8]?, isConditional: Bool, retries: Int,
        requests: inout [String]
    ) {
        var (target, retries, kept) = (url, retries, kept)
        for _ in 0..<20 {
            guard let raw = server.answer(target), let answer = CurlAnswer(raw) else { return nil }
            requests.append(target)
            switch answer.status {
            case 301, 302, 303, 307, 308:
                guard let location = answer["location"], !location.isEmpty else {
                    self = .failure
                    return
                }
                target = location
            case 304 where isConditional:
                self = .unchanged
                return
            case 206, 416:
                if let there = kept, let whole = answer.joined(to: there) {
                    self = .body(whole)
                    return
                }
                // What does not fit is asked for once more, without a range.
                guard kept != nil else {
                    self = .failure
                    return
                }
                kept = nil
            case 408, 425, 429, 500, 502...504, 506...599:
                guard retries > 0 else {
                    self = .failure
                    return
                }
                retries -= 1
                target = url
            case 200...203, 207...299:
                guard !answer.isFramedAgainstTheRules else {
                    self = .failure
                    return
                }
                guard let body = answer.body else {
                    guard answer.isCut else { return nil }
                    if retries == 0 {
                        self = .failure
                        return
                    }
                    retries -= 1
                    target = url
                    continue
                }
                self = .body(body)
                return
            default:
                self = .failure
                return
            }
        }
        self = .failure
    }
}

/// A well-formed answer, read the plain way.
struct CurlAnswer {
    let status: Int
    private var fields: [(String, String)] = []
    private let rest: [UInt8]

    init?(_ raw: [UInt8]) {
        var raw = raw[...]
        while true {
            let ends = [[13, 10, 13, 10], [10, 10], [10, 13, 10]].compactMap { raw.firstRange(of: $0) }
            let end = ends.min { $0.lowerBound < $1.lowerBound }
            guard let end else { return nil }
            let head = String(decoding: raw[..<end.lowerBound], as: UTF8.self).split { $0.isNewline }
            guard let first = head.first, first.hasPrefix("HTTP/") else { return nil }
            let words = first.split(separator: " ")
            guard words.count > 1, let status = Int(words[1]) else { return nil }
            raw = raw[end.upperBound...]
            if status < 200 { continue }
            self.status = status
            for line in head.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { continue }
                let value = parts[1].drop { $0 == " " || $0 == "\t" }
                fields.append((parts[0].lowercased(), String(value)))
            }
            rest = Array(raw)
            return
        }
    }

    subscript(name: String) -> String? { fields.first { $0.0 == name }?.1 }

    /// What curl takes, and nobody should: a transfer coding other than one "chunked", a length that is none or cannot be.
    var isFramedAgainstTheRules: Bool {
        let codings = fields.filter { $0.0 == "transfer-encoding" }.map { $0.1.lowercased() }
        let lengths = fields.filter { $0.0 == "content-length" }.map { $0.1 }
        return !codings.isEmpty && codings != ["chunked"] && codings != ["identity"]
            || lengths.contains { !$0.allSatisfy { $0.isASCII && $0.isNumber } || Int($0) == nil }
    }

    /// The body is shorter than announced.
    var isCut: Bool { self["content-length"].flatMap { Int($0) }.map { $0 > rest.count } ?? false }

    /// The length of the whole that a range is of.
    var total: Int? { self["content-range"]?.split(separator: "/").last.flatMap { Int($0) } }

    /// The whole, when this is exactly what is missing.
    func joined(to kept: [UInt8]) -> [UInt8]? {
        guard let range = self["content-range"], range.hasPrefix("bytes "), total != nil else { return nil }
        if status == 416 { return total == kept.count ? kept : nil }
        guard range.hasPrefix("bytes \(kept.count)-"), let body, kept.count + body.count == total else { return nil }
        return kept + body
    }

    var body: [UInt8]? {
        var body = rest
        if self["transfer-encoding"]?.contains("chunked") == true {
            guard let joined = dechunked else { return nil }
            body = joined
        } else if let length = self["content-length"].flatMap({ Int($0) }) {
            guard length >= 0, length <= body.count else { return nil }
            body = Array(body.prefix(length))
        }
        guard let coding = self["content-encoding"] else { return body }
        guard let codings = try? ContentCoding.list([Array(coding.utf8)]),
            let decoder = try? BodyDecoder(codings, limit: 1 << 24)
        else { return nil }
        var content: [UInt8] = []
        try? body.withUnsafeBytes { try decoder.decode($0) { content += Array($0) } }
        return content
    }

    private var dechunked: [UInt8]? {
        var bytes: [UInt8] = []
        var rest = rest[...]
        while let end = rest.firstIndex(of: 10) {
            let line = String(decoding: rest[..<end], as: UTF8.self).prefix { $0.isHexDigit }
            guard let size = Int(line, radix: 16), size >= 0 else { return nil }
            rest = rest[(end + 1)...]
            if size == 0 { return bytes }
            guard rest.count >= size else { return nil }
            bytes += rest.prefix(size)
            rest = rest.dropFirst(size)
            guard let next = rest.firstIndex(of: 10) else { return nil }
            rest = rest[(next + 1)...]
        }
        return nil
    }
}

private func replacing(_ mark: String, with text: String, in bytes: [UInt8]) -> [UInt8] {
    var rest = bytes[...]
    var result: [UInt8] = []
    while let found = rest.firstRange(of: Array(mark.utf8)) {
        result += rest[..<found.lowerBound] + Array(text.utf8)
        rest = rest[found.upperBound...]
    }
    return result + rest
}
