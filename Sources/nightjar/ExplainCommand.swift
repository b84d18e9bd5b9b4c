import Crawling
import Glibc
import JSON
import Reporting

/// One kind of question that `nightjar explain` answers, with the functions that a run decides by.
struct Explainer: Sendable {
    let name: String
    /// What it takes without `--batch`, for help.
    let arguments: String
    let counts: ClosedRange<Int>
    /// Writes the answer to one line of `--batch`.
    let answer: @Sendable (Question, inout JSONText) throws(ExplainError) -> Void
    /// The answer for people.
    let show: @Sendable ([String]) throws -> String

    static let all = [url, links, robots, name, responseFields, schedule]
}

/// A question that makes no sense, with the reason.
struct ExplainError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// `nightjar explain`.
@Sendable func explain(_ invocation: Invocation) async throws -> Int32 {
    let names = Explainer.all.map(\.name).joined(separator: ", ")
    guard let name = invocation.arguments.first else { throw UsageError("explain what? One of: \(names)") }
    guard let explainer = Explainer.all.first(where: { $0.name == name }) else {
        throw UsageError("nightjar explain knows nothing of '\(shown(name))'; it explains: \(names)")
    }
    let arguments = Array(invocation.arguments.dropFirst())
    if invocation.has(.batch) {
        guard arguments.isEmpty else { throw UsageError("--batch reads standard input and takes no arguments") }
        return try answerLines(explainer)
    }
    guard explainer.counts.contains(arguments.count) else {
        throw UsageError("usage: nightjar explain \(name) \(explainer.arguments), or --batch with JSON lines on stdin")
    }
    do {
        try printOutput(explainer.show(arguments))
    } catch let error as ExplainError {
        throw UsageError(error.message)
    }
    return 0
}

/// Answers each line of standard input with a line, as it comes.
/// - Returns: 1 when a line was no question, else 0.
private func answerLines(_ explainer: Explainer) throws -> Int32 {
    var status: Int32 = 0
    var fault: OutputError?
    var lines = InputLines(STDIN_FILENO)
    var output = JSONText()
    let hasReader = lines.forEach { line in
        guard let line else {
            status = 1
            output.object { $0.field("error", "a line is longer than \(shown(bytes: Int64(InputLines.longest)))") }
            return output.endDocument()
        }
        var answer = JSONText()
        do throws(ExplainError) {
            try explainer.answer(try Question(line), &answer)
        } catch {
            status = 1
            answer = JSONText()
            answer.object { $0.field("error", error.message) }
        }
        output.raw(answer.bytes)
        output.endDocument()
    } pause: {
        let bytes = output.take()
        if bytes.isEmpty || write(bytes, to: STDOUT_FILENO) { return true }
        if errno != EPIPE { fault = OutputError(code: errno) }
        return false
    }
    if let fault { throw fault }
    return hasReader ? status : 0
}

/// One line of `--batch`.
struct Question {
    let value: JSONValue

    init(_ line: ArraySlice<UInt8>) throws(ExplainError) {
        do throws(JSONError) { value = try JSONValue(parsing: line) } catch { throw ExplainError("no JSON: \(error)") }
        guard case .object = value else { throw ExplainError("a JSON object was expected") }
    }

    /// Nil where the member is absent or null.
    func bytes(_ name: String) throws(ExplainError) -> [UInt8]? {
        switch value[name] {
        case nil, .null?: return nil
        case .string(let bytes)?: return bytes
        default: throw ExplainError("'\(name)' must be text")
        }
    }

    func text(_ name: String) throws(ExplainError) -> String? {
        try bytes(name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A list of texts, or one text that stands for a list of one; empty where the member is absent or null.
    func texts(_ name: String) throws(ExplainError) -> [String] {
        switch value[name] {
        case nil, .null?: return []
        case .string(let bytes)?: return [String(decoding: bytes, as: UTF8.self)]
        case .array(let elements)?:
            let texts = elements.compactMap(\.text)
            guard texts.count == elements.count else { break }
            return texts
        default: break
        }
        throw ExplainError("'\(name)' must be a list of texts")
    }

    /// Nil where the member is absent or null.
    func integer(_ name: String) throws(ExplainError) -> Int? {
        switch value[name] {
        case nil, .null?: return nil
        case .number(let text)?:
            if let number = Int(text) { return number }
        default: break
        }
        throw ExplainError("'\(name)' must be a whole number")
    }

    func required(_ name: String) throws(ExplainError) -> String {
        guard let text = try text(name) else { throw ExplainError("'\(name)' is missing") }
        return text
    }

    /// The content that a question is about: as text under `name`, or in base64 under `body_base64`.
    func content(_ name: String) throws(ExplainError) -> [UInt8] {
        if let body = try bytes("body_base64") {
            guard let decoded = base64Decoded(body) else { throw ExplainError("'body_base64' is no base64") }
            return decoded
        }
        guard let content = try bytes(name) else { throw ExplainError("'\(name)' or 'body_base64' is missing") }
        return content
    }
}
