import Model
import URLs
import YAML

extension KeyType where Value == [String] {
    /// A program and its arguments, as they are handed to the system.
    static var command: KeyType {
        let word = KeyType<String>.text("a word of a command", longest: 4096)
        let schema: JSONText = ["type": "array", "items": word.schema, "minItems": 1]
        let name = "a list of a program and its arguments"
        return KeyType(name: name, schema: schema) { node, reading in
            guard let items = reading.list(node, expected: name, mayBeEmpty: false) else { return nil }
            let words = items.compactMap { word.read($0, &reading) }
            guard let first = items.first, let program = words.first, words.count == items.count else { return nil }
            // What is relative would depend on where cron happens to stand.
            if program.contains("/"), !program.hasPrefix("/") {
                reading.error(first.position, "write the program's whole path, or its name alone to look it up in PATH")
                return nil
            }
            return words
        }
    }
}

extension KeyType where Value == String {
    /// An address as sendmail takes it, which can be no option and no second header.
    static var mailAddress: KeyType {
        text("a mail address", longest: 320) { text in
            if text.hasPrefix("-") { return "it begins with '-', which reads as an option" }
            let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && !",;<>()\"".utf8.contains($0) }
            return isPlain ? nil : "write one address in each entry, without a name"
        }
    }
}

extension KeyType where Value == HeaderValue {
    /// A URL of a service that is told; often a secret by itself.
    static var webAddress: KeyType {
        let secret = KeyType<Secret>.secret
        let schema: JSONText = ["anyOf": [["type": "string"], secret.schema]]
        let name = "an http or https URL, or { env: NAME } or { file: PATH }"
        return KeyType(name: name, schema: schema) { node, reading in
            if case .mapping = node.content { return secret.read(node, &reading).map { .secret($0) } }
            let type = KeyType<String>.text(name, longest: 8192) { text in
                guard let url = WebURL(text), url.isHTTP else { return "" }
                return url.href.contains("@") ? "a password must not stand here; write { env: NAME }" : nil
            }
            return type.read(node, &reading).map { .plain($0) }
        }
    }
}

/// An entry of `notify` that is being read.
struct NoticeDraft: Sendable {
    var position = SourcePosition.start
    var occasion: Placed<NoticeOccasion>?
    var command: Placed<[String]>?
    var post: HeaderValue?
    var ping: HeaderValue?
    var mail: [String]?
    var timeout: Duration?
}

extension ManifestReading {
    mutating func endNotice() {
        let notice = draft.notice
        var means: [NoticeMeans] = []
        if let command = notice.command { means.append(.command(command.value)) }
        if let post = notice.post { means.append(.post(post)) }
        if let ping = notice.ping { means.append(.ping(ping)) }
        if let mail = notice.mail { means.append(.mail(mail)) }
        guard let one = means.first, means.count == 1 else {
            // What could not be read has been told already.
            if !diagnostics.contains(where: { $0.line >= notice.position.line }) || means.count > 1 {
                error(notice.position, "say one way to tell: command, post, ping or mail")
            }
            return
        }
        if case .ping = one, let occasion = notice.occasion {
            return within("on") { reading in
                reading.error(occasion.position, "a ping is sent at start and end of every run; remove this")
            }
        }
        var rules = NotifyRules(means: one)
        rules.occasion = notice.occasion?.value ?? rules.occasion
        rules.timeout = notice.timeout ?? rules.timeout
        draft.job.notify.append(rules)
    }
}
