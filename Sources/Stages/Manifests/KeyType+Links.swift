import HTML
import YAML

extension KeyType where Value == String {
    /// A CSS selector, kept as text; an error points at the character that is wrong.
    static var selector: KeyType {
        KeyType(name: "a CSS selector", schema: ["type": "string"]) { node, reading in
            guard let scalar = reading.scalar(node, expected: "a CSS selector, in quotes") else { return nil }
            if let hint = Words.objection(to: scalar.text, longest: 4096) {
                reading.error(node.position, "\(quoted(scalar.text)): \(hint)")
                return nil
            }
            do throws(Selector.SyntaxError) {
                _ = try Selector(scalar.text)
                return scalar.text
            } catch {
                reading.error(node.position(ofByte: error.offset), "\(quoted(scalar.text)): \(error.message)")
                return nil
            }
        }
    }

    /// The name of an HTML attribute, in lower case.
    static var attributeName: KeyType {
        text("the name of an attribute, such as data-href", longest: 100) { text in
            Words.consists(text, of: Words.alphanumerics + "-_:.", atMost: 100) ? nil : ""
        }.map { $0.lowercased() }
    }

    /// The name of a query parameter, `*` for any run of characters.
    static var parameterName: KeyType {
        text("the name of a query parameter, such as sessionid or utm_*", longest: 200) { text in
            if text == "*" { return "that would ignore every query" }
            return text.contains { "&=?#".contains($0) } ? "write the name alone" : nil
        }
    }
}
