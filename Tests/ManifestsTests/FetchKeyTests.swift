import Model
import Testing

@testable import Manifests

@Suite struct FetchKeyTests {
    @Test func everyKeyArrives() throws {
        let text = """
            fetch:
              delay: 200ms
              rate: 20MiB/s
              idle-floor: 1kB/s
              retry-after-max: 10m
              max-age: 7d
              keep-free: 1GiB
              ca: ca.pem
              client-cert: { certificate: /etc/me.pem, key: me.key, passphrase: { env: PASS } }
              auth: { netrc: true, basic: { user: me, password: { env: PASS } }, bearer: { file: /t } }
              proxy: socks5h://proxy.example:1080
              no-proxy: [internal.example, 10.0.0.0/8]
              referer: true
              checksums: [SHA256SUMS, "{url}.sha256"]
              max-decoded: 2GiB
              segments: 4
              ssh: { known-hosts: /k, key: /id, passphrase: { env: PASS } }
            """
        let fetch = try #require(readJob(below: text), "\(problems(below: text))").fetch
        #expect(fetch.delay == .milliseconds(200) && fetch.rate == 20 << 20 && fetch.idleFloor == 1000)
        #expect(fetch.retryAfterMax == .seconds(600) && fetch.maxAge == .seconds(7 * 86400))
        #expect(fetch.keepFree == 1 << 30)
        #expect(fetch.authorities?.hasSuffix("ca.pem") == true)
        #expect(fetch.clientCertificate.certificate == "/etc/me.pem")
        #expect(fetch.clientCertificate.passphrase == .environment("PASS"))
        #expect(fetch.auth.netrc && fetch.auth.bearer == .file("/t"))
        #expect(fetch.auth.basic == BasicAuthRules(user: "me", secret: .environment("PASS")))
        #expect(fetch.proxy == .plain("socks5h://proxy.example:1080"))
        #expect(fetch.segments == 4 && fetch.knownHosts == "/k" && fetch.sshKey == "/id")
        #expect(fetch.sshPassphrase == .environment("PASS"))
        #expect(fetch.checksums == .at(["SHA256SUMS", "{url}.sha256"]) && fetch.maxDecoded == 2 << 30)
        #expect(fetch.noProxy == ["internal.example", "10.0.0.0/8"] && fetch.sendsReferer)
    }

    @Test(
        arguments: [
            ("auth: { basic: { env: BOTH } }", nil), ("proxy: { env: PROXY }", nil), ("no-proxy: []", nil),
            ("rate: 20MiB", "write 20MiB/s"), ("rate: 0B/s", "at least 1B/s"), ("delay: 5", "5s for seconds"),
            ("proxy: proxy.example:3128", "http://"), ("proxy: http://u:p@proxy.example", "password"),
            ("auth: { basic: { user: me } }", "password"),
            ("auth: { basic: { user: me, password: x } }", "{ env: NAME }"),
            ("auth: { bearer: token }", "{ env: NAME }"), ("ca: ~/ca.pem", "not expanded"),
            ("client-cert: me.pem", "expected"), ("checksums: auto", nil),
            ("checksums: ftp://h.example/S", "only http"),
            ("checksums: \"{name}.md5\"", "{url}"), ("checksums: []", "empty"),
            ("checksums: https://u:p@h.example/S", "password"),
        ] as [(String, String?)])
    func wrongOnesAreExplained(_ line: String, _ words: String?) {
        let found = problems(below: "fetch:\n  \(line)")
        if let words {
            #expect(found.count == 1 && found[0].contains(words), "\(found)")
        } else {
            #expect(found.isEmpty, "\(found)")
        }
    }
}
