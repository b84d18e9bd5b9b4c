/// Which part of the network an address lies in; what a job may reach is said in these.
package enum AddressClass: UInt8, Sendable, CaseIterable {
    case `public`
    case loopback
    case linkLocal
    /// RFC 1918, unique local IPv6, and the shared space of carriers and overlay networks (RFC 6598).
    case privateNet
    /// Where clouds hand credentials to whoever asks from the machine.
    case metadata
    /// Multicast, documentation, benchmarks, `0.0.0.0` and everything else that no public server has.
    case reserved

    /// For messages: "a private address" and so on.
    package var phrase: String {
        switch self {
        case .public: "a public address"
        case .loopback: "this machine itself"
        case .linkLocal: "a link-local address"
        case .privateNet: "a private address"
        case .metadata: "a cloud metadata address"
        case .reserved: "a reserved address"
        }
    }
}

/// A set of address classes.
package struct AddressClasses: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package init(_ one: AddressClass) { rawValue = 1 << one.rawValue }

    package static let `public` = AddressClasses(.public)
    package static let all = AddressClasses(rawValue: 0b11_1111)
    /// What the author of a manifest may name as a start without further ado.
    package static let allButMetadata = all.subtracting(AddressClasses(.metadata))

    package func contains(_ one: AddressClass) -> Bool { contains(AddressClasses(one)) }
}

extension IPAddress {
    /// The class by the IANA special-purpose registries. An IPv4 address inside a mapped, NAT64, 6to4 or ISATAP
    /// address is looked at, since that is where the packets may end.
    package var addressClass: AddressClass {
        bytes.count == 4 ? classify(v4: bytes[...]) : classify(v6: bytes)
    }
}

/// A block of addresses: the first bits of `prefix`.
private struct Block {
    let prefix: [UInt8]
    let bits: Int
    let kind: AddressClass

    init(_ prefix: [UInt8], _ bits: Int, _ kind: AddressClass) {
        self.prefix = prefix
        self.bits = bits
        self.kind = kind
    }

    func contains(_ address: ArraySlice<UInt8>) -> Bool {
        let whole = bits / 8
        guard address.prefix(whole).elementsEqual(prefix.prefix(whole)) else { return false }
        let rest = bits % 8
        guard rest > 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xff00 >> rest)
        return address[address.startIndex + whole] & mask == prefix[whole] & mask
    }
}

/// The first block that holds an address decides.
private let v4Blocks = [
    // AWS and most others, AWS containers and pods, Tencent, Alibaba, Oracle, Azure.
    Block([169, 254, 169, 254], 32, .metadata), Block([169, 254, 170, 2], 32, .metadata),
    Block([169, 254, 170, 23], 32, .metadata), Block([169, 254, 0, 23], 32, .metadata),
    Block([100, 100, 100, 200], 32, .metadata), Block([192, 0, 0, 192], 32, .metadata),
    Block([168, 63, 129, 16], 32, .metadata),
    Block([127], 8, .loopback), Block([169, 254], 16, .linkLocal),
    Block([10], 8, .privateNet), Block([172, 16], 12, .privateNet), Block([192, 168], 16, .privateNet),
    Block([100, 64], 10, .privateNet),
    Block([0], 8, .reserved), Block([192, 0, 0], 24, .reserved), Block([192, 0, 2], 24, .reserved),
    Block([192, 88, 99], 24, .reserved), Block([198, 18], 15, .reserved), Block([198, 51, 100], 24, .reserved),
    Block([203, 0, 113], 24, .reserved), Block([224], 3, .reserved),
]

private let v6Blocks = [
    // AWS, AWS pods, Google, Scaleway, OpenStack.
    Block([0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x54], 128, .metadata),
    Block([0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x23], 128, .metadata),
    Block([0xfd, 0x20, 0, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x54], 128, .metadata),
    Block([0xfd, 0, 0, 0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x42], 128, .metadata),
    Block([0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xa9, 0xfe, 0xa9, 0xfe], 128, .metadata),
    Block([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 128, .loopback),
    Block([0xfe, 0x80], 10, .linkLocal), Block([0xfe, 0xc0], 10, .privateNet), Block([0xfc], 7, .privateNet),
    Block([0, 0x64, 0xff, 0x9b, 0, 1], 48, .privateNet),
    // IETF protocols with Teredo, documentation; outside 2000::/3 nothing is given to the public.
    Block([0x20, 0x01, 0], 23, .reserved), Block([0x20, 0x01, 0x0d, 0xb8], 32, .reserved),
    Block([0x3f, 0xff, 0], 20, .reserved),
    Block([0x20], 3, .public),
]

/// Blocks whose addresses carry an IPv4 address, and where it begins.
private let carriers: [(block: Block, at: Int)] = [
    (Block([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 96, .public), 12),
    (Block([0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], 96, .public), 12),
    (Block([0x20, 0x02], 16, .public), 2),
]

private func classify(v4 address: ArraySlice<UInt8>) -> AddressClass {
    v4Blocks.first { $0.contains(address) }?.kind ?? .public
}

private func classify(v6 address: [UInt8]) -> AddressClass {
    if let carrier = carriers.first(where: { $0.block.contains(address[...]) }) {
        return classify(v4: address[carrier.at..<carrier.at + 4])
    }
    let own = v6Blocks.first { $0.contains(address[...]) }?.kind ?? .reserved
    // ISATAP (RFC 5214): the interface identifier is 0000:5efe or 0200:5efe and an IPv4 address.
    let isTunnel = address[8] & 0xfd == 0 && address[9] == 0 && address[10] == 0x5e && address[11] == 0xfe
    if own == .public, isTunnel { return classify(v4: address[12...]) }
    return own
}
