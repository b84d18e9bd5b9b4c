import Model
import YAML

extension KeyType where Value == Double {
    /// `50%`.
    static var percent: KeyType {
        let schema: JSONText = ["type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?%$"]
        return scalar("a share such as 50%", schema: schema) { scalar throws(Units.Refusal) in
            guard let value = share(scalar.text) else {
                let isNumber = share(scalar.text + "%") != nil
                throw Units.Refusal(hint: isNumber ? "write \(scalar.text)%" : "it goes from 0% to 100%")
            }
            return value
        }
    }
}

extension KeyType where Value == Bound {
    /// A number, or a share of something.
    static var bound: KeyType {
        let schema: JSONText = [
            "anyOf": [
                ["type": "integer", "minimum": 0], ["type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?%$"],
            ]
        ]
        return scalar("a number such as 3 or a share such as 5%", schema: schema) { scalar throws(Units.Refusal) in
            if let value = share(scalar.text) { return .percent(value) }
            guard let count = Int(scalar.text), count >= 0, "\(count)" == scalar.text else {
                throw Units.Refusal(hint: "")
            }
            return .count(count)
        }
    }
}

/// From 0 to 100; nil for what is no such share.
private func share(_ text: String) -> Double? {
    guard text.hasSuffix("%"), text.utf8.count <= 16 else { return nil }
    let number = text.dropLast()
    guard number.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 || $0 == UInt8(ascii: ".") }),
        let value = Double(number), value <= 100
    else { return nil }
    return value
}
