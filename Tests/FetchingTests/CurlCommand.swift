import FoundationEssentials

@testable import Fetching

/// One of curl's tests: what its server answers, in sections, and what its client is told to do.
struct CurlRow: Decodable {
    struct Reply: Decodable {
        let section: String
        let raw_base64: String?
        let unexpanded: Bool?

        var raw: [UInt8] { Array(Data(base64Encoded: raw_base64 ?? "") ?? Data()) }
    }
    let test: String
    let name: String
    let server: [String]
    let command: String?
    let curl_exit: Int?
    let replies: [Reply]
    let `protocol`: String?

    var number: String { String(test.dropFirst(4)) }

    /// Puts in what curl's harness puts into its texts, for a server on `port`.
    func expanded(_ text: String, port: UInt16) -> String {
        var text = text
        for host in ["HOSTIP", "HOST6IP", "CLIENTIP"] { text = text.replacing("%\(host)", with: "127.0.0.1") }
        for name in ["HTTPPORT", "PROXYPORT", "HTTP6PORT"] { text = text.replacing("%\(name)", with: "\(port)") }
        for (mark, sign) in [("%AMP", "&"), ("%TAB", "\t"), ("%LT", "<"), ("%GT", ">"), ("%TESTNUMBER", number)] {
            text = text.replacing(mark, with: sign)
        }
        text = CurlRow.replacing("%b64[", "]b64%", in: text) { base64(percentDecoded(String($0))) }
        return CurlRow.replacing("%hex[", "]hex%", in: text) {
            String(decoding: percentDecoded(String($0)), as: UTF8.self)
        }
    }

    private static func replacing(
        _ open: String, _ close: String, in text: String, _ body: (Substring) -> String
    ) -> String {
        var (rest, result) = (text[...], "")
        while let start = rest.firstRange(of: open), let end = rest[start.upperBound...].firstRange(of: close) {
            result += rest[..<start.lowerBound] + body(rest[start.upperBound..<end.lowerBound])
            rest = rest[end.upperBound...]
        }
        return result + rest
    }

    /// Files that the test lays out for its client, by their last name.
    func files(port: UInt16) throws -> [String: String] {
        let text = String(decoding: try suiteData("curl-http/data/\(test)"), as: UTF8.self)
        var files: [String: String] = [:]
        // What stands behind the client is checked afterwards.
        var rest = text[..<(text.firstRange(of: "</client>")?.lowerBound ?? text.endIndex)]
        while let start = rest.firstRange(of: "<file"), let head = rest[start.upperBound...].firstIndex(of: ">") {
            let name = rest[start.upperBound..<head].split(separator: "\"").dropFirst().first ?? ""
            guard let end = rest[head...].firstRange(of: "</file") else { break }
            let key = String(expanded(String(name), port: port).split(separator: "/").last ?? "")
            let content = rest[rest.index(after: head)..<end.lowerBound].drop { $0.isNewline }
            if files[key] == nil { files[key] = expanded(String(content), port: port) }
            rest = rest[end.upperBound...]
        }
        return files
    }

    /// Variables that the test sets for its client.
    func variables(port: UInt16) throws -> [String: String] {
        let text = String(decoding: try suiteData("curl-http/data/\(test)"), as: UTF8.self)
        guard let start = text.firstRange(of: "<setenv>"), let end = text.firstRange(of: "</setenv>") else {
            return [:]
        }
        let lines = text[start.upperBound..<end.lowerBound].split { $0.isNewline }.map { line in
            expanded(String(line), port: port).split(separator: "=", maxSplits: 1).map(String.init)
        }
        return Dictionary(lines.filter { $0.count == 2 }.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 })
    }
}

/// What one of curl's command lines asks for.
struct CurlCommand {
    var urls: [String] = []
    /// Options with their arguments, in order.
    var options: [(name: String, value: String)] = []

    func all(_ names: String...) -> [String] { options.filter { names.contains($0.name) }.map(\.value) }
    func has(_ names: String...) -> Bool { options.contains { names.contains($0.name) } }

    private static let withArgument: Set = [
        "-o", "--output", "-D", "--dump-header", "-w", "--write-out", "--output-dir", "-x", "--proxy", "--proxy1.0",
        "-U", "--proxy-user", "-u", "--user", "-H", "--header", "--proxy-header", "-b", "-c", "-C", "--continue-at",
        "-r", "-z", "-m", "--max-time", "--retry", "--retry-delay", "--max-redirs", "--max-filesize", "--resolve",
        "--connect-to", "--netrc-file", "--etag-save", "--etag-compare", "--hsts", "--noproxy", "--interface",
        "--oauth2-bearer", "--referer", "-A", "--url", "-d", "-X", "-F", "--request-target", "--proto-redir",
        "--cacert",
    ]

    /// Each `--next` begins another one.
    static func all(_ line: String) -> [CurlCommand] {
        var commands = [CurlCommand()]
        var words = words(line)[...]
        while let word = words.popFirst() {
            guard word.hasPrefix("-") else {
                commands[commands.count - 1].urls += expandedGlobs(word[...]).map(absolute)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            if word == "--next" {
                commands.append(CurlCommand())
            } else if word.contains("=") {
                commands[commands.count - 1].options.append((parts[0], parts.count == 2 ? parts[1] : ""))
            } else {
                let value = withArgument.contains(word) ? words.popFirst() ?? "" : ""
                commands[commands.count - 1].options.append((word, value))
            }
        }
        return commands
    }

    private static func absolute(_ url: String) -> String { url.contains(":/") ? url : "http://" + url }

    /// As a shell takes a line apart.
    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        var (word, quote): (String?, Character?) = (nil, nil)
        for sign in line {
            switch sign {
            case quote: quote = nil
            case "\"" where quote == nil, "'" where quote == nil:
                quote = sign
                word = word ?? ""
            case let sign where sign.isWhitespace && quote == nil:
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(sign)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    /// curl's braces and brackets.
    private static func expandedGlobs(_ text: Substring) -> [String] {
        guard let open = text.firstIndex(where: { "{[\\".contains($0) }) else { return [String(text)] }
        let after = text.index(after: open)
        if text[open] == "\\", after < text.endIndex {
            let tail = expandedGlobs(text[text.index(after: after)...])
            return tail.map { text[..<open] + String(text[after]) + $0 }
        }
        guard let close = text[after...].firstIndex(of: text[open] == "{" ? "}" : "]") else { return [String(text)] }
        var inside = text[after..<close]
        // A name for the output.
        if inside.first == "<", let end = inside.firstIndex(of: ">") { inside = inside[inside.index(after: end)...] }
        let choices: [String]
        if text[open] == "{" {
            choices = inside.split(separator: ",").map(String.init)
        } else {
            let ends = inside.split(separator: "-").map(String.init)
            guard ends.count == 2 else { return [String(text)] }
            if let first = Int(ends[0]), let last = Int(ends[1]), first <= last, last - first < 100 {
                choices = (first...last).map { number in
                    String(repeating: "0", count: max(ends[0].count - "\(number)".count, 0)) + "\(number)"
                }
            } else if let first = ends[0].utf8.first, let last = ends[1].utf8.first, first <= last {
                choices = (first...last).map { String(decoding: [$0], as: UTF8.self) }
            } else {
                return [String(text)]
            }
        }
        let tails = expandedGlobs(text[text.index(after: close)...])
        return choices.flatMap { choice in tails.map { text[..<open] + choice + $0 } }
    }
}
