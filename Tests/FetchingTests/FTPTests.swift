import Glibc
import HTTP
import Model
import TestSupport
import Testing

@testable import Fetching

/// Files by FTP, from vsftpd and from servers that lie.
@Suite(.enabled(if: FTPServer.isInstalled, "vsftpd is not installed, or the tests do not run as root"))
struct FTPTests {
    @Test func fetchesAFileWithItsDateAndATag() async throws {
        let content = SeededBytes.bytes(2_000_000, seed: 1)
        try await FTPServer.serving { server in
            try server.site.write("d/a b.bin", content)
            try server.site.write("empty.txt", "")
            try await Bench.with { bench in
                let result = await bench.fetch(server.origin + "/d/a%20b.bin")
                let received = try bench.content(of: result)
                #expect(received == content)
                #expect(result.head?.headers["last-modified"]?.hasSuffix("GMT") == true)
                #expect(result.head?.headers["etag"]?.hasPrefix("\"2000000-") == true)
                #expect(await bench.fetch(server.origin + "/empty.txt").part?.bytes == 0)
                let missing = await bench.fetch(server.origin + "/none.bin")
                #expect(missing.failure?.code == .httpStatus && missing.head?.status == 404)
                #expect(await bench.fetch(server.origin + "/none/none.bin").failure?.code == .httpStatus)
            }
        }
    }

    @Test func aFolderIsAPageWithItsListing() async throws {
        try await FTPServer.serving { server in
            try server.site.write("d/a.bin", [1])
            try await Bench.with { bench in
                let result = await bench.fetch(server.origin + "/d/", .all(.page)) { $0.purpose = .page }
                let listing = String(decoding: result.body ?? [], as: UTF8.self)
                #expect(listing.contains("a.bin"), "\(result.outcome)")
                #expect(result.head?.contentType == "text/ftp-dir")
                #expect(await bench.fetch(server.origin + "/none/", .all(.page)).failure?.code == .httpStatus)
            }
        }
    }

    @Test func goesOnWhereItBrokeOffUnlessTheFileChanged() async throws {
        let content = SeededBytes.bytes(3_000_000, seed: 2)
        try await FTPServer.serving { server in
            try server.site.write("a.bin", content)
            for changes in [false, true] {
                var rules = FetchRules.quick
                rules.totalTimeout = .milliseconds(600)
                rules.rate = 2_000_000
                rules.retries = 9
                let newer = SeededBytes.bytes(3_000_000, seed: 3)
                let pace = Pace(
                    now: { 1e9 },
                    sleep: { _ in
                        guard changes, try server.site.read("a.bin") != newer else { return }
                        try server.site.write("a.bin", newer)
                        var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
                        utimensat(AT_FDCWD, "\(server.site.path)/a.bin", &times, 0)
                    })
                try await Bench.with(rules, pace: pace) { bench in
                    let result = await bench.fetch(server.origin + "/a.bin")
                    let received = try bench.content(of: result)
                    #expect(received == (changes ? newer : content))
                    #expect(result.attempts > 1)
                    if !changes {
                        #expect(result.resumedFrom ?? 0 > 0)
                        #expect(result.received < 4_000_000)
                    }
                }
            }
            #expect(server.log.contains("REST"))
        }
    }

    @Test func whatIsKnownIsNotFetchedAgain() async throws {
        try await FTPServer.serving { server in
            try server.site.write("a.bin", SeededBytes.bytes(500_000, seed: 4))
            try await Bench.with { bench in
                let first = await bench.fetch(server.origin + "/a.bin")
                let tag = first.head?.headers["etag"]
                let second = await bench.fetch(server.origin + "/a.bin") { $0.validators = Validators(etag: tag) }
                guard case .unchanged = second.outcome else {
                    Issue.record("\(second.outcome)")
                    return
                }
                #expect(second.received < 500_000)
            }
        }
    }

    @Test func privateAddressesAreRefusedToLinks() async throws {
        try await FTPServer.serving { server in
            try server.site.write("a.bin", [1])
            try await Bench.with(starts: ["http://public.example/"]) { bench in
                let result = await bench.fetch(server.origin + "/a.bin") { $0.isStart = false }
                #expect(result.failure?.code == .addressRefused)
            }
        }
    }

    @Test func anotherAddressForTheDataIsIgnored() async throws {
        try await FTPServer.serving(more: ["pasv_address=10.1.2.3", "cmds_denied=EPSV"]) { server in
            try server.site.write("a.bin", [1, 2, 3])
            try await Bench.with { bench in
                #expect(await bench.fetch(server.origin + "/a.bin").part?.bytes == 3)
                #expect(server.log.contains("10,1,2,3"))
            }
        }
    }

    @Test func sizeIsBounded() async throws {
        try await FTPServer.serving { server in
            try server.site.write("a.bin", SeededBytes.bytes(5000, seed: 4))
            try await Bench.with { bench in
                let result = await bench.fetch(server.origin + "/a.bin", .all(.item, maxItemBytes: 4999))
                #expect(result.failure?.code == .tooLarge)
                #expect(bench.partNames.isEmpty)
            }
        }
    }
}

/// Files by SFTP, from OpenSSH's server.
@Suite(.enabled(if: SSHServer.isInstalled, "sshd is not installed, or the tests do not run as root"))
struct SFTPTests {
    private func rules(_ server: SSHServer) -> FetchRules {
        var rules = FetchRules.quick
        rules.knownHosts = server.knownHosts
        return rules
    }

    private func login(_ server: SSHServer) -> FileLogin { FileLogin(user: "", key: server.key) }

    @Test func fetchesFilesAndFolders() async throws {
        let content = SeededBytes.bytes(1_500_000, seed: 5)
        try await SSHServer.serving { server in
            try server.site.write("a.bin", content)
            try await Bench.with(rules(server), starts: [server.origin + "/"], login: login(server)) { bench in
                let result = await bench.fetch(server.origin + "/a.bin")
                let received = try bench.content(of: result)
                #expect(received == content)
                #expect(result.head?.headers["etag"]?.hasPrefix("\"1500000-") == true)
                let page = await bench.fetch(server.origin + "/", .all(.page)) { $0.purpose = .page }
                #expect(String(decoding: page.body ?? [], as: UTF8.self).contains("a.bin"))
                #expect(await bench.fetch(server.origin + "/none").failure?.code == .httpStatus)
            }
        }
    }

    @Test func goesOnWhereItBrokeOff() async throws {
        let content = SeededBytes.bytes(3_000_000, seed: 6)
        try await SSHServer.serving { server in
            try server.site.write("a.bin", content)
            var rules = rules(server)
            rules.totalTimeout = .milliseconds(900)
            rules.rate = 1_500_000
            rules.retries = 9
            try await Bench.with(rules, starts: [server.origin + "/"], login: login(server)) { bench in
                let result = await bench.fetch(server.origin + "/a.bin")
                let received = try bench.content(of: result)
                #expect(received == content)
                #expect(result.resumedFrom ?? 0 > 0, "\(result.attempts)")
            }
        }
    }

    @Test func onlyAKnownKeyIsTrusted() async throws {
        try await SSHServer.serving { server in
            try server.site.write("a.bin", [1])
            try server.site.write("nobody", "")
            for hosts in [nil, server.wrongHosts, "\(server.site.path)/nobody", "/none"] {
                var rules = FetchRules.quick
                rules.knownHosts = hosts
                try await Bench.with(rules, starts: [server.origin + "/"], login: login(server)) { bench in
                    let failure = await bench.fetch(server.origin + "/a.bin").failure
                    #expect(failure?.code == .tls, "\(hosts ?? "none"): \(failure?.message ?? "")")
                    #expect(failure?.message.contains(hosts ?? "fetch.ssh.known-hosts") == true)
                }
            }
        }
    }

    @Test func theKeyIsShownToTheStartsAlone() async throws {
        try await SSHServer.serving { server in
            try server.site.write("a.bin", [1])
            try await Bench.with(rules(server), starts: ["https://other.example/"], login: login(server)) { bench in
                let failure = await bench.fetch(server.origin + "/a.bin").failure
                #expect(failure?.code == .protocolError, "\(failure?.message ?? "")")
            }
        }
    }
}
