import HTTP
import Testing

@Suite struct AddressClassTests {
    @Test(arguments: [
        ("93.184.216.34", AddressClass.public), ("1.1.1.1", .public), ("100.128.0.1", .public),
        ("172.15.255.255", .public), ("172.32.0.1", .public), ("192.167.1.1", .public), ("11.0.0.1", .public),
        ("127.0.0.1", .loopback), ("127.255.255.254", .loopback),
        ("169.254.1.1", .linkLocal), ("169.254.169.254", .metadata), ("100.100.100.200", .metadata),
        ("10.0.0.1", .privateNet), ("172.16.0.1", .privateNet), ("172.31.255.255", .privateNet),
        ("192.168.1.1", .privateNet), ("100.64.0.1", .privateNet), ("100.127.255.255", .privateNet),
        ("0.0.0.0", .reserved), ("0.1.2.3", .reserved), ("192.0.2.7", .reserved), ("198.19.0.1", .reserved),
        ("224.0.0.1", .reserved), ("239.1.1.1", .reserved), ("240.0.0.1", .reserved), ("255.255.255.255", .reserved),
    ])
    func classifiesIPv4(_ text: String, _ expected: AddressClass) throws {
        let address = try #require(IPAddress(text))
        #expect(address.addressClass == expected)
        #expect(address.description == text)
        let mapped = try #require(IPAddress("::ffff:\(text)"))
        #expect(mapped.addressClass == expected)
        let translated = try #require(IPAddress("64:ff9b::\(text)"))
        #expect(translated.addressClass == expected)
    }

    @Test(arguments: [
        ("2606:4700::1111", AddressClass.public), ("2a00:1450:4001::1", .public),
        ("::1", .loopback), ("fe80::1", .linkLocal), ("febf::1", .linkLocal),
        ("fd00::1", .privateNet), ("fc00::1", .privateNet), ("fec0::1", .privateNet), ("64:ff9b:1::1", .privateNet),
        ("fd00:ec2::254", .metadata), ("fe80::a9fe:a9fe", .metadata), ("fd20:ce::254", .metadata),
        ("::", .reserved), ("ff02::1", .reserved), ("2001:db8::1", .reserved), ("2001::1", .reserved),
        ("100::1", .reserved), ("::7f00:1", .reserved), ("3fff::1", .reserved),
        ("2002:7f00:1::", .loopback), ("2002:0808:0808::1", .public), ("2002:c0a8:101::", .privateNet),
        ("2a00::5efe:127.0.0.1", .loopback), ("2a00::200:5efe:10.0.0.1", .privateNet),
    ])
    func classifiesIPv6(_ text: String, _ expected: AddressClass) throws {
        #expect(try #require(IPAddress(text)).addressClass == expected)
        #expect(try #require(IPAddress("[\(text)]")).addressClass == expected)
    }

    @Test(arguments: ["", "example.org", "127.1", "0x7f000001", "1.2.3.4.5", "fe80::1%eth0", "[::1", "256.0.0.1"])
    func refusesWhatIsNoAddress(_ text: String) {
        #expect(IPAddress(text) == nil)
    }
}
