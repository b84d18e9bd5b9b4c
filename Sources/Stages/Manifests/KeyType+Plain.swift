import YAML

extension KeyType where Value == Bool {
    /// `true` or `false` and nothing else: what YAML 1.1 also took (`NO`, `on`) has surprised too many.
    static var boolean: KeyType {
        scalar("true or false", schema: ["type": "boolean"]) { scalar throws(Units.Refusal) in
            switch (scalar.text, scalar.style) {
            case ("true", .plain): return true
            case ("false", .plain): return false
            default: break
            }
            switch scalar.text.lowercased() {
            case "true", "yes", "on", "y", "1": throw Units.Refusal(hint: "write true, without quotes")
            case "false", "no", "off", "n", "0": throw Units.Refusal(hint: "write false, without quotes")
            default: throw Units.Refusal(hint: "")
            }
        }
    }

    /// A choice of two words, one for each truth.
    static func words(true yes: String, false no: String) -> KeyType {
        KeyType<String>.word([yes, no]).map { $0 == yes }
    }
}

extension KeyType where Value == Int {
    /// A decimal number without fraction, exponent, leading zeros or quotes.
    static func integer(_ range: ClosedRange<Int>) -> KeyType {
        let schema: JSONText = [
            "type": "integer", "minimum": .number(Int64(range.lowerBound)), "maximum": .number(Int64(range.upperBound)),
        ]
        let name = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return scalar(name, schema: schema) { scalar throws(Units.Refusal) in
            let text = scalar.text
            guard scalar.style == .plain else { throw Units.Refusal(hint: "write it without quotes") }
            let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
            guard !digits.isEmpty, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
                throw Units.Refusal(hint: integerHint(text))
            }
            guard digits.count == 1 || digits.first != UInt8(ascii: "0") else {
                throw Units.Refusal(hint: "write it without leading zeros")
            }
            guard let value = Int(text), range.contains(value) else { throw Units.Refusal(hint: "") }
            return value
        }
    }

    private static func integerHint(_ text: String) -> String {
        let lower = text.lowercased()
        if lower.hasPrefix("0x") || lower.hasPrefix("0o") || lower.hasPrefix("0b") {
            return "write it as a decimal number"
        }
        guard let first = text.utf8.first, first >= 0x30 && first <= 0x39 || first == UInt8(ascii: "+") else {
            return ""
        }
        return "write it as digits only, such as 1000"
    }
}

extension KeyType where Value == Int64 {
    /// Bytes, with or without a unit.
    static func size(_ range: ClosedRange<Int64>) -> KeyType {
        let units = Units.sizes.map(\.name).joined(separator: "|")
        let schema: JSONText = [
            "type": ["integer", "string"], "minimum": .number(range.lowerBound),
            "pattern": .string("^[0-9]+(\\.[0-9]+)? ?(\(units))?$"),
        ]
        let name = "a size such as 500MB or 2GiB"
        return scalar(name, schema: schema) { scalar throws(Units.Refusal) in
            let value = try Units.size(scalar.text)
            guard range.contains(value) else { throw Units.Refusal(hint: "it must be at least \(range.lowerBound)B") }
            return value
        }
    }
}

extension KeyType where Value == Duration {
    /// A time with its unit.
    static func duration(_ range: ClosedRange<Duration>, _ rangeText: String) -> KeyType {
        let units = Units.durations.map(\.name).joined(separator: "|")
        let schema: JSONText = ["type": "string", "pattern": .string("^[0-9]+(\\.[0-9]+)? ?(\(units))$")]
        let name = "a time from \(rangeText), such as 200ms, 15s or 6h"
        return scalar(name, schema: schema) { scalar throws(Units.Refusal) in
            let value = try Units.duration(scalar.text)
            guard range.contains(value) else { throw Units.Refusal(hint: "") }
            return value
        }
    }
}

extension KeyType where Value == String {
    /// One of some words.
    static func word(_ words: [String]) -> KeyType {
        let schema: JSONText = ["enum": .array(words.map { .string($0) })]
        let name = words.count == 2 ? words.joined(separator: " or ") : "one of \(words.joined(separator: ", "))"
        return scalar(name, schema: schema) { scalar throws(Units.Refusal) in
            if let word = words.first(where: { $0.utf8.elementsEqual(scalar.text.utf8) }) { return word }
            let meant = Spelling.suggestion(for: scalar.text, among: words)
            throw Units.Refusal(hint: meant.map { "did you mean '\($0)'?" } ?? "")
        }
    }
}

extension KeyType where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of an enumeration's values.
    static func choice() -> KeyType {
        let words = KeyType<String>.word(Value.allCases.map(\.rawValue))
        return KeyType(name: words.name, schema: words.schema) { node, reading in
            words.read(node, &reading).flatMap { Value(rawValue: $0) }
        }
    }
}
