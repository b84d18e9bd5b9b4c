import Glibc

/// An IPv4 or IPv6 address as bytes.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    init(v4: in_addr) { bytes = withUnsafeBytes(of: v4) { Array($0) } }

    init(v6: in6_addr) { bytes = withUnsafeBytes(of: v6) { Array($0) } }

    /// - Parameter text: dotted decimal or RFC 4291 text; brackets around the latter are allowed, zones are not.
    package init?(_ text: String) {
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self.init(v4: v4)
            return
        }
        let isBracketed = text.utf8.first == UInt8(ascii: "[") && text.utf8.last == UInt8(ascii: "]")
        let inner = isBracketed ? String(text.dropFirst().dropLast()) : text
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, inner, &v6) == 1 else { return nil }
        self.init(v6: v6)
    }

    /// Nil for families other than IPv4 and IPv6.
    /// - Parameter address: a `sockaddr` of `length` bytes.
    init?(_ address: UnsafeRawPointer, length: Int) {
        guard length >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(address.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            self.init(v4: address.loadUnaligned(as: sockaddr_in.self).sin_addr)
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            self.init(v6: address.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default: return nil
        }
    }

    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
