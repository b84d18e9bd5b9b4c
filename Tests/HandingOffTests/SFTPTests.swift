import Digests
import Model
import TestSupport
import Testing

@testable import HandingOff

@Suite("Hand-off over SFTP", .enabled(if: SSHServer.isInstalled))
struct SFTPTests {
    private func target(_ server: SSHServer, _ path: String) -> Destination {
        destination("sftp://127.0.0.1:\(server.port)\(path)", .sftp) { target in
            target.rules.knownHosts = server.knownHosts
            target.rules.credentials.key = server.key
            target.user = SSHServer.user
        }
    }

    @Test func arrivesOnceUnderItsName() async throws {
        try await SSHServer.serving { server in
            try await Depot.with { depot in
                let content = SeededBytes.bytes(2_000_000, seed: 6)
                let parcel = try depot.parcel("b \"1\"\\.tar", content)
                let target = self.target(server, "\(depot.folder.path)/in%20here/deep/")
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
        try await SSHServer.serving { server in
            try await Depot.with { depot in
                let content = SeededBytes.bytes(500_000, seed: 7)
                let parcel = try depot.parcel("b.tar", content)
                let part = ".nightjar-\(hex(parcel.sha256.prefix(16))).part"
                try depot.folder.write(
                    "in/\(part)", isOurs ? Array(content[..<200_000]) : [UInt8](repeating: 1, count: 200_000))
                let target = self.target(server, "\(depot.folder.path)/in")
                #expect(try await deliver(parcel, to: target) == (isOurs ? .content : .size))
                #expect(try depot.folder.read("in/b.tar") == content)
                #expect(Folder("\(depot.folder.path)/in").names.sorted() == ["b.tar", "b.tar.sha256"])
            }
        }
    }

    @Test(arguments: ["somebody else's", "hers"])
    func anotherFileOfThatNameStays(content: String) async throws {
        try await SSHServer.serving { server in
            try await Depot.with { depot in
                let parcel = try depot.parcel("b.tar", Array("ours".utf8))
                try depot.folder.write("in/b.tar", content)
                let target = self.target(server, "\(depot.folder.path)/in")
                let failure = try await #require(throws: Failure.self) { try await deliver(parcel, to: target) }
                #expect(failure.message.contains("is there already"))
                #expect(try depot.folder.text("in/b.tar") == content)
                #expect(try await deliver(parcel, to: target, replaces: true) == .size)
                #expect(try depot.folder.text("in/b.tar") == "ours")
            }
        }
    }

    @Test func anUnknownHostIsRefused() async throws {
        try await SSHServer.serving { server in
            try await Depot.with { depot in
                try depot.folder.write("known_hosts", "other.example ssh-ed25519 AAAA\n")
                let parcel = try depot.parcel("b.tar", [1])
                var target = self.target(server, "\(depot.folder.path)/in")
                target.rules.knownHosts = "\(depot.folder.path)/known_hosts"
                let failure = try await #require(throws: Failure.self) { try await deliver(parcel, to: target) }
                #expect(failure.code == .tls, "\(failure)")
                #expect(!depot.folder.exists("in"))
            }
        }
    }

    @Test func aKeyThatIsNotAllowedIsALogin() async throws {
        try await SSHServer.serving { server in
            try await Depot.with { depot in
                let parcel = try depot.parcel("b.tar", [1])
                var target = self.target(server, "\(depot.folder.path)/in")
                target.rules.credentials.key = server.wrongKey
                let failure = try await #require(throws: Failure.self) { try await deliver(parcel, to: target) }
                #expect(failure.code == .login, "\(failure)")
            }
        }
    }
}
