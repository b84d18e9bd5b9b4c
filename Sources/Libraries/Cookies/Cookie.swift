/// One cookie as it is kept (RFC 6265bis, 5.7). Its value is a secret: nothing here prints it.
package struct Cookie: Sendable, Hashable {
    /// What a later cookie must share with this one to take its place.
    package struct Identity: Sendable, Hashable {
        package var name: [UInt8]
        /// In ASCII and lower case, without a leading dot; an IPv6 address in brackets.
        package var domain: String
        /// False sends it to the hosts below the domain too.
        package var isHostOnly: Bool
        package var path: [UInt8]

        package init(name: [UInt8], domain: String, isHostOnly: Bool, path: [UInt8]) {
            self.name = name
            self.domain = domain
            self.isHostOnly = isHostOnly
            self.path = path
        }
    }
    package var identity: Identity
    package var value: [UInt8]
    /// Seconds since 1970; nil for a session cookie.
    package var expires: Double?
    package var isSecure: Bool
    package var isHTTPOnly: Bool

    package init(
        _ identity: Identity, value: [UInt8], expires: Double? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false
    ) {
        self.identity = identity
        self.value = value
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
    }

    func isExpired(at now: Double) -> Bool { expires.map { $0 <= now } ?? false }

    /// Why a cookie is never kept, wherever it came from; nil when it may be.
    var objection: String? {
        let (name, path) = (identity.name, identity.path)
        if name.isEmpty { return "it has no name" }
        if name.count + value.count > Bounds.nameAndValue {
            return "name and value have more than \(Bounds.nameAndValue) bytes"
        }
        if path.count > Bounds.attribute { return "its path has more than \(Bounds.attribute) bytes" }
        if (name + value + path).contains(where: { $0 < 0x20 || $0 == 0x7f }) { return "it holds a control character" }
        if (name + value).contains(UInt8(ascii: ";")) || name.contains(UInt8(ascii: "=")) {
            return "it holds a character that would begin another cookie"
        }
        if hasPrefix("__secure-"), !isSecure { return "its prefix __Secure- asks for Secure" }
        if hasPrefix("__host-"), !isSecure || !identity.isHostOnly || path != [UInt8(ascii: "/")] {
            return "its prefix __Host- asks for Secure, one host and the path /"
        }
        return nil
    }

    /// Browsers compare these prefixes in any case, and so must whoever is not to be fooled (RFC 6265bis, 5.4).
    private func hasPrefix(_ prefix: StaticString) -> Bool {
        let length = prefix.utf8CodeUnitCount
        return identity.name.count >= length
            && zip(identity.name, UnsafeBufferPointer(start: prefix.utf8Start, count: length)).allSatisfy {
                lowercased($0) == $1
            }
    }
}

/// How much of cookies is kept and sent (RFC 6265bis, 6.1): what browsers and curl take, so that no server can fill the
/// memory or make every later request fail.
enum Bounds {
    /// Bytes of name and value together (RFC 6265bis, 5.6).
    static let nameAndValue = 4096
    /// Bytes of an attribute's value (RFC 6265bis, 5.6).
    static let attribute = 1024
    /// Chromium's and Firefox's.
    static let perDomain = 180
    static let inJar = 3000
    /// Set-Cookie fields of one answer; curl's.
    static let perAnswer = 50
    /// Cookies of one request, and bytes of their header; curl's.
    static let perRequest = 150
    static let header = 8190
    /// Longest life in seconds: 400 days (RFC 6265bis, 5.5).
    static let life: Double = 400 * 86400
}

func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte }
