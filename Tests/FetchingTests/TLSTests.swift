import HTTP
import Model
import TestSupport
import Testing

@testable import Fetching

/// A certificate authority and what it has signed, made by openssl.
struct Authority {
    let folder: Folder

    static func with<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Authority) async throws -> sending Result
    ) async throws -> sending Result {
        try await Folder.temporary { folder in
            let authority = Authority(folder: folder)
            try await authority.openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", "/CN=Test authority", "-keyout", "ca.key", "-out", "ca.pem")
            return try await body(authority)
        }
    }

    /// Makes `<name>.pem` and `<name>.key`.
    func sign(_ name: String, for subject: String, days: Int = 2) async throws {
        try folder.write("\(name).ext", "subjectAltName=\(subject)")
        try await openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)",
            "-keyout", "\(name).key", "-out", "\(name).csr")
        try await openssl(
            "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-days", "\(days)", "-extfile", "\(name).ext", "-out", "\(name).pem")
    }

    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    private func openssl(_ arguments: String...) async throws {
        let files = ["-keyout", "-out", "-in", "-CA", "-CAkey", "-extfile"]
        var paths = arguments
        for index in paths.indices.dropFirst() where files.contains(arguments[index - 1]) {
            paths[index] = path(arguments[index])
        }
        let outcome = try await Program.tool("openssl", paths).run()
        guard outcome.ending == .exited(0) else {
            Issue.record("\(outcome)")
            return
        }
    }
}

@Suite(.enabled(if: Program.isInstalled("nginx") && Program.isInstalled("openssl")))
struct TLSTests {
    /// An nginx with TLS and HTTP/2 beside its plain port.
    private func serving(
        _ subject: String, days: Int = 2, more: String = "",
        _ body: (_ origin: String, Authority, NginxServer) async throws -> Void
    ) async throws {
        try await Authority.with { authority in
            try await authority.sign("server", for: subject, days: days)
            let port = try Loopback.freePort()
            let server = """
                listen 127.0.0.1:\(port) ssl http2;
                ssl_certificate \(authority.path("server.pem"));
                ssl_certificate_key \(authority.path("server.key"));
                \(more)
                """
            try await NginxServer.serving(server: server) { nginx in
                try await body("https://127.0.0.1:\(port)", authority, nginx)
            }
        }
    }

    private func rules(_ authority: Authority?) -> FetchRules {
        var rules = FetchRules.quick
        rules.authorities = authority?.path("ca.pem")
        return rules
    }

    @Test func anAuthorityOfTheManifestIsTrustedAndNobodyElse() async throws {
        try await serving("IP:127.0.0.1") { origin, authority, nginx in
            try nginx.site.write("a.bin", SeededBytes.bytes(300_000, seed: 1))
            try await Bench.with(rules(authority)) { bench in
                let result = await bench.fetch(origin + "/a.bin")
                #expect(result.part?.bytes == 300_000, "\(String(describing: result.failure))")
            }
            try await Bench.with(rules(nil)) { bench in
                let result = await bench.fetch(origin + "/a.bin")
                #expect(result.failure?.code == .tls)
                #expect(result.failure?.message.contains("cannot be trusted") == true)
                #expect(result.attempts == 1)
            }
        }
    }

    @Test func aCertificateOfAnotherHostIsRefused() async throws {
        try await serving("DNS:other.example") { origin, authority, _ in
            try await Bench.with(rules(authority)) { bench in
                #expect(await bench.fetch(origin + "/").failure?.code == .tls)
            }
        }
    }

    @Test func manyRequestsShareOneConnectionOverHTTP2() async throws {
        try await serving("IP:127.0.0.1") { origin, authority, nginx in
            for number in 0..<200 { try nginx.site.write("\(number).bin", SeededBytes.bytes(2000, seed: number)) }
            var rules = rules(authority)
            rules.perHost = 16
            try await Bench.with(rules) { bench in
                #expect(await bench.fetch(origin + "/0.bin").part != nil)
                await withTaskGroup(of: FetchResult.self) { group in
                    for number in 0..<200 { group.addTask { await bench.fetch(origin + "/\(number).bin") } }
                    for await result in group { #expect(result.part?.bytes == 2000) }
                }
            }
            let log = try nginx.log()
            #expect(log.count == 201)
            #expect(log.map(\.connections).max() ?? 99 <= 2)
        }
    }

    @Test func goesOnOverHTTP2() async throws {
        let content = SeededBytes.bytes(3_000_000, seed: 4)
        try await serving("IP:127.0.0.1") { origin, authority, nginx in
            try nginx.site.write("a.bin", content)
            var rules = rules(authority)
            rules.totalTimeout = .milliseconds(700)
            rules.rate = 1_500_000
            rules.retries = 9
            try await Bench.with(rules) { bench in
                let result = await bench.fetch(origin + "/a.bin")
                let received = try bench.content(of: result)
                #expect(received == content)
                #expect(result.attempts > 1)
                #expect(result.resumedFrom ?? 0 > 0)
                #expect(result.received < 4_000_000)
            }
        }
    }

    @Test func showsItsOwnCertificate() async throws {
        try await Authority.with { clients in
            try await clients.sign("me", for: "DNS:me.example")
            let more = "ssl_client_certificate \(clients.path("ca.pem")); ssl_verify_client on;"
            try await serving("IP:127.0.0.1", more: more) { origin, authority, nginx in
                try nginx.site.write("a.bin", [1, 2, 3])
                try await Bench.with(rules(authority)) { bench in
                    #expect(await bench.fetch(origin + "/a.bin").failure?.code == .httpStatus)
                }
                let own = ClientCertificate(certificate: clients.path("me.pem"), key: clients.path("me.key"))
                try await Bench.with(rules(authority), certificate: own) { bench in
                    let result = await bench.fetch(origin + "/a.bin")
                    #expect(result.part?.bytes == 3, "\(String(describing: result.failure))")
                }
            }
        }
    }
}
