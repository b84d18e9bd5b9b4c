import Templates
import Times
import URLs
import YAML

extension KeyType where Value == String {
    /// Text on one line, in quotes or not.
    /// - Parameter objection: what is wrong with a text; nil when it is right.
    static func text(
        _ name: String = "text", longest: Int = 4096, schema: JSONText = ["type": "string"],
        _ objection: @escaping @Sendable (String) -> String? = { _ in nil }
    ) -> KeyType {
        scalar(name, schema: schema) { scalar throws(Units.Refusal) in
            if let hint = objection(scalar.text) ?? Words.objection(to: scalar.text, longest: longest) {
                throw Units.Refusal(hint: hint)
            }
            return scalar.text
        }
    }

    /// Text of one or more lines, without the last line's end.
    static var prose: KeyType {
        scalar("text", schema: ["type": "string"]) { scalar throws(Units.Refusal) in
            var text = scalar.text[...]
            while text.last?.isNewline == true { text = text.dropLast() }
            return String(text)
        }
    }

    /// A job's name: part of paths and of report files.
    static var jobName: KeyType {
        let schema: JSONText = ["type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,63}$"]
        return text("a name of a-z, 0-9 and '-', at most 64 characters", schema: schema) { text in
            if text.utf8.first == UInt8(ascii: "-") { return "it begins with '-', which reads as an option" }
            return Words.consists(text, of: "abcdefghijklmnopqrstuvwxyz0123456789-", atMost: 64) ? nil : ""
        }
    }

    static var packID: KeyType {
        let schema: JSONText = ["type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"]
        return text("a name of letters, digits, '.', '_' and '-', at most 64 characters", schema: schema) { text in
            let isRight = Words.consists(text, of: Words.alphanumerics + "._-", atMost: 64)
            return isRight && text.first?.isPunctuation == false ? nil : ""
        }
    }

    /// A time zone that the system's database has.
    static var timeZone: KeyType {
        KeyType(name: "a time zone such as Europe/Berlin or UTC", schema: ["type": "string"]) { node, reading in
            guard let scalar = reading.scalar(node, expected: "a time zone such as Europe/Berlin") else { return nil }
            do throws(ZoneError) {
                return try Zone(named: scalar.text).name
            } catch {
                reading.error(node.position, error.message)
                return nil
            }
        }
    }

    /// Part of a MIME type, in lower case.
    static var mimePart: KeyType {
        text("part of a MIME type, such as application/pdf or ms-excel", longest: 256) { text in
            Words.consists(text, of: Words.alphanumerics + "!#$&^_.+-/*", atMost: 256) && !text.contains("*")
                ? nil : text.contains("*") ? "a part matches anywhere in the type; leave out the '*'" : ""
        }.map { $0.lowercased() }
    }

    /// A file name's extension without its dot, in lower case.
    static var fileExtension: KeyType {
        let schema: JSONText = ["type": ["string", "integer"], "pattern": "^[A-Za-z0-9][A-Za-z0-9._+-]*$"]
        return text("an extension such as pdf or tar.gz", schema: schema) { text in
            if text.utf8.first == UInt8(ascii: ".") { return "write it without the dot" }
            return Words.consists(text, of: Words.alphanumerics + "._+-", atMost: 32) ? nil : ""
        }.map { $0.lowercased() }
    }

    /// A link's prefix that marks a download.
    static var linkScheme: KeyType {
        let schema: JSONText = ["type": "string", "pattern": "^[A-Za-z][A-Za-z0-9+.-]*:$"]
        return text("a link prefix that ends in ':', such as \"f:\"", schema: schema) { text in
            let name = text.lowercased().dropLast()
            guard text.utf8.last == UInt8(ascii: ":"), name.first?.isLetter == true,
                Words.consists(String(name), of: Words.alphanumerics + "+.-", atMost: 32)
            else { return "" }
            let taken = ["http", "https", "ftp", "sftp", "file", "data", "javascript", "mailto", "blob", "about"]
            return taken.contains(String(name)) ? "\(name): has its own meaning" : nil
        }.map { $0.lowercased() }
    }
}

extension KeyType where Value == URLPattern {
    static var pattern: KeyType {
        KeyType(name: "a pattern", schema: ["type": "string"]) { node, reading in
            guard let scalar = reading.scalar(node, expected: "a glob or a /regular expression/") else { return nil }
            if Words.hasControl(scalar.text) {
                reading.error(node.position, "\(quoted(scalar.text)): it holds a line break or control character")
                return nil
            }
            do throws(PatternError) {
                return try URLPattern(scalar.text)
            } catch {
                reading.error(node.position(ofByte: error.offset), "\(quoted(scalar.text)): \(error.message)")
                return nil
            }
        }
    }
}

extension KeyType where Value == Template {
    static func template(_ fields: TemplateFields) -> KeyType {
        KeyType(name: "a template", schema: ["type": "string"]) { node, reading in
            guard let scalar = reading.scalar(node, expected: "a template, in quotes") else { return nil }
            return reading.template(scalar.text, fields: fields, at: node)
        }
    }
}

extension ManifestReading {
    /// A template, or its error at the character that is wrong.
    mutating func template(_ text: String, fields: TemplateFields, at node: YAMLNode) -> Template? {
        if let hint = Words.objection(to: text, longest: 4096) {
            error(node.position, "\(quoted(text)): \(hint)")
            return nil
        }
        do throws(TemplateError) {
            return try Template(text, fields: fields)
        } catch {
            self.error(node.position(ofByte: error.offset), "\(quoted(text)): \(error.message)")
            return nil
        }
    }
}

/// Rules for text that several types share.
enum Words {
    static let alphanumerics = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

    /// What no text of one line may be; nil when it is right.
    static func objection(to text: String, longest: Int) -> String? {
        if text.isEmpty { return "it is empty" }
        if text.utf8.count > longest { return "it is longer than \(longest) bytes" }
        if hasControl(text) { return "it holds a line break or another control character" }
        if text.contains("${") { return "'${' is never expanded here; secrets are written as { env: NAME }" }
        return nil
    }

    static func hasControl(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) }
    }

    /// True for one character or more, up to a bound, that are all in a set of ASCII characters.
    static func consists(_ text: String, of allowed: String, atMost bound: Int) -> Bool {
        let set = Array(allowed.utf8)
        return (1...bound).contains(text.utf8.count) && text.utf8.allSatisfy { set.contains($0) }
    }
}
