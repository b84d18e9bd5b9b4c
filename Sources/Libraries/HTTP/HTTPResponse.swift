/// A header field; the value is raw bytes without the blanks around it.
package struct HTTPField: Sendable, Hashable {
    /// In lower case.
    package var name: String
    package var value: [UInt8]
}

/// The status line and header fields of a final response, as they came.
package struct HTTPHead: Sendable, Hashable {
    package var status: Int
    /// `HTTP/1.1` and so on.
    package var version: String
    package var fields: [HTTPField]
    /// Length of the body if it was announced by a valid Content-Length that applies.
    package var contentLength: Int64?
    /// The body comes in chunks.
    var isChunked = false

    /// The value of the first field of that name.
    /// - Parameter name: in lower case.
    package func value(_ name: String) -> [UInt8]? { fields.first { $0.name == name }?.value }
}

/// How a transfer ended that did not fail.
package struct HTTPResponse: Sendable {
    package var head: HTTPHead
    /// The body if it was collected in memory.
    package var body: [UInt8]
    /// Bytes of body that came over the network.
    package var received: Int64
    /// True when the body was left before its end, as the receiver had asked.
    package var isCut: Bool
    /// Who answered (a proxy, if there is one).
    package var peer: IPAddress?
    /// Connections opened for this request: 0 when one was reused.
    package var newConnections: Int
}
