import Digests
import Glibc
import Model
import TestSupport
import Testing

@testable import HandingOff

@Suite("Hand-off over SFTP", .enabled(if: Program.isInstalled("sshd") && Program.isInstalled("ssh-keygen")))
struct SFTPTests {
    struct Server {
        let home: Folder
        let port: UInt16

        func destination(_ path: String) -> Destination {
            var rules = HandoffRules(to: "sftp://127.0.0.1:\(port)\(path)", kind: .sftp)
            rules.knownHosts = "\(home.path)/known_hosts"
            rules.credentials.key = "\(home.path)/user"
            var destination = Destination(rules)
            destination.user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) }
            return destination
        }
    }

    private func serving(_ body: (Server) async throws -> Void) async throws {
        try await Folder.temporary { home in
            mkdir("/run/sshd", 0o755)
            for key in ["host", "user"] {
                let arguments = ["-q", "-t", "ed25519", "-N", "", "-f", "\(home.path)/\(key)"]
                _ = try await Program.output("ssh-keygen", arguments)
            }
            let port = try Loopback.freePort()
            let hostKey = try home.text("host.pub").split(separator: " ").prefix(2).joined(separator: " ")
            try home.write("known_hosts", "[127.0.0.1]:\(port) \(hostKey)\n")
            try home.write(
                "sshd.conf",
                """
                ListenAddress 127.0.0.1
                Port \(port)
                HostKey \(home.path)/host
                AuthorizedKeysFile \(home.path)/user.pub
                PidFile \(home.path)/sshd.pid
                StrictModes no
                UsePAM no
                PasswordAuthentication no
                Subsystem sftp internal-sftp
                """)
            try await ToolServer.running("sshd", ["-D", "-e", "-f", "sshd.conf"], in: home, sign: "sshd.pid") {
                try await body(Server(home: home, port: port))
            }
        }
    }

    @Test func arrivesOnceUnderItsName() async throws {
        try await serving { server in
            try await Depot.with { depot in
                let content = SeededBytes.bytes(2_000_000, seed: 6)
                let parcel = try depot.parcel("b \"1\"\\.tar", content)
                let target = server.destination("\(depot.folder.path)/in%20here/deep/")
                #expect(try await deliver(parcel, to: target) == .size)
                #expect(try depot.folder.read("in here/deep/b \"1\"\\.tar") == content)
                let inode = depot.folder.files("in here/deep").first?.inode
                #expect(try await deliver(parcel, to: target) == .content)
                #expect(depot.folder.files("in here/deep").first?.inode == inode)
                #expect(Folder("\(depot.folder.path)/in here/deep").names.count == 2)
            }
        }
    }

    @Test(arguments: [true, false])
    func goesOnWhereItBrokeOff(isOurs: Bool) async throws {
        try await serving { server in
            try await Depot.with { depot in
                let content = SeededBytes.bytes(500_000, seed: 7)
                let parcel = try depot.parcel("b.tar", content)
                let part = ".nightjar-\(hex(parcel.sha256.prefix(16))).part"
                try depot.folder.write(
                    "in/\(part)", isOurs ? Array(content[..<200_000]) : [UInt8](repeating: 1, count: 200_000))
                let target = server.destination("\(depot.folder.path)/in")
                #expect(try await deliver(parcel, to: target) == (isOurs ? .content : .size))
                #expect(try depot.folder.read("in/b.tar") == content)
                #expect(Folder("\(depot.folder.path)/in").names.sorted() == ["b.tar", "b.tar.sha256"])
            }
        }
    }

    @Test(arguments: ["somebody else's", "hers"])
    func anotherFileOfThatNameStays(content: String) async throws {
        try await serving { server in
            try await Depot.with { depot in
                let parcel = try depot.parcel("b.tar", Array("ours".utf8))
                try depot.folder.write("in/b.tar", content)
                let target = server.destination("\(depot.folder.path)/in")
                let failure = try await #require(throws: Failure.self) { try await deliver(parcel, to: target) }
                #expect(failure.message.contains("is there already"))
                #expect(try depot.folder.text("in/b.tar") == content)
                #expect(try await deliver(parcel, to: target, replaces: true) == .size)
                #expect(try depot.folder.text("in/b.tar") == "ours")
            }
        }
    }

    @Test func anUnknownHostIsRefused() async throws {
        try await serving { server in
            try await Depot.with { depot in
                try server.home.write("known_hosts", "other.example ssh-ed25519 AAAA\n")
                let parcel = try depot.parcel("b.tar", [1])
                let target = server.destination("\(depot.folder.path)/in")
                let failure = try await #require(throws: Failure.self) { try await deliver(parcel, to: target) }
                #expect(failure.code == .tls, "\(failure)")
                #expect(!depot.folder.exists("in"))
            }
        }
    }

    @Test func aKeyThatIsNotAllowedIsALogin() async throws {
        try await serving { server in
            try await Depot.with { depot in
                try server.home.write("user.pub", "")
                let parcel = try depot.parcel("b.tar", [1])
                let target = server.destination("\(depot.folder.path)/in")
                let failure = try await #require(throws: Failure.self) { try await deliver(parcel, to: target) }
                #expect(failure.code == .login, "\(failure)")
            }
        }
    }
}
