import Glibc

extension KeyType where Value == String {
    /// `host:port:address`, the form of curl's `--resolve`.
    static var resolveEntry: KeyType {
        text("host:port:address, such as www.example.org:443:192.0.2.7", longest: 512) { text in
            let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, let port = Int(String(parts[1]) ?? ""), (1...65535).contains(port) else {
                return ""
            }
            let hostBytes = Words.alphanumerics + ".-_"
            guard Words.consists(String(parts[0]) ?? "", of: hostBytes, atMost: 253) else {
                return "the host is a name in ASCII"
            }
            let addresses = parts[2].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            let areRight = addresses.allSatisfy { Addresses.isAddress(String($0) ?? "") }
            return areRight ? nil : "the address is an IPv4 one, or an IPv6 one in brackets"
        }
    }
}

enum Addresses {
    /// An IPv4 address, or an IPv6 one with or without brackets.
    static func isAddress(_ text: String) -> Bool {
        var bare = text
        if bare.hasPrefix("["), bare.hasSuffix("]") { bare = String(bare.dropFirst().dropLast()) }
        var room = in6_addr()
        if inet_pton(AF_INET6, bare, &room) == 1 { return true }
        return bare == text && inet_pton(AF_INET, text, &room) == 1
    }
}
