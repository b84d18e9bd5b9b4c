import Files
import HTTP
import Model
import TestSupport
import Testing
import URLs

@testable import Fetching

/// Hosts that ask for TLS, and the file that remembers them.
@Suite struct HSTSTests {
    private func headers(_ value: String) -> HeaderFields {
        var headers = HeaderFields()
        headers.append(name: "Strict-Transport-Security", value: Array(value.utf8))
        return headers
    }

    @Test func knowsHostsAndWhatIsBelow() {
        let store = HSTSStore()
        store.learn(headers("max-age=100"), from: "One.example", now: 1000)
        store.learn(headers("max-age=100; includeSubDomains"), from: "all.example", now: 1000)
        store.learn(headers("max-age=100; includeSubDomains"), from: "127.0.0.1", now: 1000)
        #expect(store.isKnown("one.example", now: 1099) && store.isKnown("ONE.example.", now: 1099))
        #expect(!store.isKnown("one.example", now: 1101) && !store.isKnown("a.one.example", now: 1000))
        #expect(store.isKnown("a.b.all.example", now: 1000) && !store.isKnown("tall.example", now: 1000))
        #expect(!store.isKnown("127.0.0.1", now: 1000) && !store.isKnown("example", now: 1000))
        store.learn(headers("max-age=0"), from: "all.example", now: 1000)
        #expect(!store.isKnown("a.all.example", now: 1000))
        store.learn(headers("max-age=x"), from: "bad.example", now: 1000)
        #expect(!store.isKnown("bad.example", now: 1000))
    }

    @Test func twoRunsAtOnceKeepWhatBothLearned() async throws {
        try await Folder.temporary { folder in
            try folder.write(
                "hsts.txt", "# comment\n.kept.example \"20990101 00:00:00\"\nold.example \"20010101 00:00:00\"\njunk\n")
            let root = try Directory(folder.path)
            let (one, two) = (HSTSStore(in: root), HSTSStore(in: root))
            #expect(one.isKnown("a.kept.example", now: 1e9) && !one.isKnown("old.example", now: 1.5e9))
            one.learn(headers("max-age=100000"), from: "one.example", now: 1.5e9)
            two.learn(headers("max-age=100000"), from: "two.example", now: 1.5e9)
            two.learn(headers("max-age=0"), from: "kept.example", now: 1.5e9)
            try one.save(now: 1.5e9)
            try two.save(now: 1.5e9)
            let text = try folder.text("hsts.txt")
            #expect(text.contains("one.example \"2017") && text.contains("two.example \"2017"), "\(text)")
            #expect(!text.contains("old.example") && !text.contains("kept.example"))
            let again = HSTSStore(in: root)
            #expect(again.isKnown("one.example", now: 1.5e9) && again.isKnown("two.example", now: 1.5e9))
            #expect(folder.files().filter { $0.name == "hsts.txt" }.map { $0.mode & 0o777 } == [0o600])
        }
    }

    @Test func hostileFilesTeachNothing() async throws {
        try await Folder.temporary { folder in
            try folder.write("victim", ".evil.example \"20990101 00:00:00\"\n")
            let root = try Directory(folder.path)
            try folder.write("hsts.txt", [UInt8](repeating: 0xFF, count: 100_000) + Array("\n. \"x\"\n \"\"\n".utf8))
            #expect(!HSTSStore(in: root).isKnown("a.example", now: 1e9))
        }
    }

    @Test func plainHTTPIsAskedByTLSOnceTheHostHasSaidSo() async throws {
        try await Authority.with { authority in
            try await authority.sign("server", for: "DNS:secure.example")
            let tls = """
                ssl_certificate \(authority.path("server.pem")); ssl_certificate_key \(authority.path("server.key"));
                add_header Strict-Transport-Security "max-age=1000";
                """
            let port = try Loopback.freePort()
            try await NginxServer.serving(
                main:
                    "server { listen 127.0.0.1:\(port) ssl; root /nonexistent; \(tls) location / { return 200 'x'; } }"
            ) { _ in
                var rules = FetchRules.quick
                rules.authorities = authority.path("ca.pem")
                rules.resolve = ["secure.example:\(port):127.0.0.1"]
                try await Bench.with(rules) { bench in
                    let plain = "http://secure.example:\(port)/a"
                    // nginx answers plain http on a TLS port with 400.
                    #expect(await bench.fetch(plain).failure?.code == .httpStatus)
                    #expect(await bench.fetch("https://secure.example:\(port)/a").part != nil)
                    let upgraded = await bench.fetch(plain)
                    #expect(upgraded.part != nil, "\(String(describing: upgraded.failure))")
                    #expect(upgraded.head?.url.scheme == "https")
                }
            }
        }
    }
}
