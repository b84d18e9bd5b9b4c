/// Why a coded body has no content.
package struct CodingError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        /// A coding that is not known, or too many of them.
        case unsupported
        /// The data ends before its end.
        case cut
        case damaged
        /// More comes out than may.
        case tooLarge
    }

    package let kind: Kind
    package let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

/// A content coding (RFC 9110, 8.4.1; br by RFC 7932, zstd by RFC 8878).
package enum ContentCoding: String, Sendable, CaseIterable {
    case gzip
    case deflate
    case br
    case zstd

    /// Who nests deeper wants to make others work.
    package static let most = 5

    /// What an Accept-Encoding field says for all of them.
    package static let accepted = allCases.map(\.rawValue).joined(separator: ", ")

    /// The codings that `Content-Encoding` fields name, in the order in which they were applied; `identity` is none, and
    /// so is `none`, which no standard knows and some servers say.
    package static func list(_ fields: [[UInt8]]) throws(CodingError) -> [ContentCoding] {
        var codings: [ContentCoding] = []
        var count = 0
        for field in fields {
            for token in field.split(separator: UInt8(ascii: ",")) {
                let word = String(decoding: token.filter { $0 > 0x20 && $0 < 0x7f }.prefix(20), as: UTF8.self)
                    .lowercased()
                if ["", "identity", "none"].contains(word) { continue }
                count += 1
                guard count <= most else { throw CodingError(.unsupported, "more than \(most) codings") }
                guard let coding = ContentCoding(rawValue: word == "x-gzip" ? "gzip" : word) else {
                    throw CodingError(.unsupported, "the coding \(word), which nobody asked for")
                }
                codings.append(coding)
            }
        }
        return codings
    }
}
