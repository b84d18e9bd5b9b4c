import HTTP
import Testing

@Suite struct ProxyRulesTests {
    private func rules(_ environment: [String: String]) -> ProxyRules { ProxyRules { environment[$0] } }

    @Test func choosesByScheme() {
        let rules = rules(["http_proxy": "http://p:1", "HTTPS_PROXY": "http://q:2"])
        #expect(rules.proxy(scheme: "http", host: "a.example") == "http://p:1")
        #expect(rules.proxy(scheme: "https", host: "a.example") == "http://q:2")
        #expect(self.rules(["HTTP_PROXY": "http://p:1"]).proxy(scheme: "http", host: "a.example") == nil)
        #expect(self.rules(["ALL_PROXY": "socks5h://s"]).proxy(scheme: "https", host: "a") == "socks5h://s")
        #expect(ProxyRules.none.proxy(scheme: "http", host: "a") == nil)
    }

    @Test(arguments: [
        ("*", "a.example", true), ("example", "a.example", true), (".example", "a.example", true),
        ("ample", "a.example", false), ("a.example", "A.Example", true), ("x, a.example", "a.example", true),
        ("127.0.0.1", "127.0.0.1", true), ("127.0.0.0/8", "127.9.9.9", true), ("127.0.0.0/8", "128.0.0.1", false),
        ("10.0.0.0/9", "10.128.0.1", false), ("::1", "[::1]", true), ("fd00::/8", "[fdaa::1]", true),
        ("10.0.0.0/99", "10.0.0.0", false), ("10.0.0.0/-1", "10.0.0.0", false), ("0.0.0.1", "127.0.0.1", false),
    ])
    func makesExceptions(_ list: String, _ host: String, _ isDirect: Bool) {
        let rules = rules(["http_proxy": "http://p", "no_proxy": list])
        #expect((rules.proxy(scheme: "http", host: host) == nil) == isDirect)
    }
}
