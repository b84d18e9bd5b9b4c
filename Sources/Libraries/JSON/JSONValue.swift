/// A JSON value (RFC 8259). Strings are bytes of UTF-8, as long texts are wanted that way.
package enum JSONValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    /// As it was written.
    case number(String)
    case string([UInt8])
    case array([JSONValue])
    /// In the order of the text.
    case object([JSONMember])

    /// The value of an object's member, the last where several have that name; nil for what is no object.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The bytes of a string; nil for everything else.
    package var bytes: [UInt8]? {
        if case .string(let bytes) = self { bytes } else { nil }
    }

    /// A string, malformed bytes mended; nil for everything else.
    package var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    /// The elements of an array; nil for everything else.
    package var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}

package struct JSONMember: Sendable, Hashable {
    package var name: String
    package var value: JSONValue
}

/// Why a text is no JSON.
package struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// From 0, in bytes.
    package let offset: Int
    package let message: String

    package var description: String { "\(message) (byte \(offset + 1))" }
}
