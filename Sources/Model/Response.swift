package import URLs

/// Header fields in the order they came; values are raw bytes, since servers send more than ASCII.
package struct HeaderFields: Sendable, Hashable {
    package private(set) var fields: [(name: String, value: [UInt8])] = []

    package init() {}

    /// - Parameter fields: the names in lower case.
    package init(lowercased fields: [(name: String, value: [UInt8])]) { self.fields = fields }

    /// - Parameter name: any case; kept in lower case.
    package mutating func append(name: String, value: [UInt8]) { fields.append((name.lowercased(), value)) }

    /// The bytes of the first field of that name, in lower case.
    package func bytes(_ name: String) -> [UInt8]? {
        fields.first { has(name, $0) }?.value
    }

    /// The first field of that name as text: UTF-8 where it is valid, else Latin-1.
    package subscript(name: String) -> String? {
        bytes(name).map { value in
            String(validating: value, as: UTF8.self)
                ?? String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
        }
    }

    package func all(_ name: String) -> [[UInt8]] {
        fields.filter { has(name, $0) }.map(\.value)
    }

    /// Lengths are compared first, since nearly all differ in them.
    private func has(_ name: String, _ field: (name: String, value: [UInt8])) -> Bool {
        field.name.utf8.count == name.utf8.count && field.name == name
    }

    package static func == (left: HeaderFields, right: HeaderFields) -> Bool {
        left.fields.elementsEqual(right.fields) { $0.name == $1.name && $0.value == $1.value }
    }

    package func hash(into hasher: inout Hasher) {
        for field in fields {
            hasher.combine(field.name)
            hasher.combine(field.value)
        }
    }
}

/// The head of a final response: redirects have been followed, informational responses dropped.
package struct ResponseHead: Sendable, Hashable {
    package var url: WebURL
    package var status: Int
    package var headers: HeaderFields

    package init(url: WebURL, status: Int, headers: HeaderFields) {
        self.url = url
        self.status = status
        self.headers = headers
    }

    /// The Content-Type as the server wrote it.
    package var contentType: String? { headers["content-type"] }
}

/// What a server gave to ask "has this changed?" with (RFC 9110, 8.8).
package struct Validators: Sendable, Hashable {
    package var etag: String?
    package var lastModified: String?

    package init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }

    package var isEmpty: Bool { etag == nil && lastModified == nil }
}
