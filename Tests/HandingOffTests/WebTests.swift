import Model
import TestSupport
import Testing

@testable import HandingOff

@Suite("Hand-off over HTTP", .enabled(if: Program.isInstalled("python3")))
struct WebTests {
    private let content = SeededBytes.bytes(2_000_000, seed: 3)

    @Test(arguments: [("", Proof.size), ("digest", .content), ("silent", .accepted)])
    func isVerifiedByWhatTheServerTells(fault: String, proof: Proof) async throws {
        try await Depot.with { depot in
            try await Peer.serving(fault) { peer in
                let target = destination("\(peer.origin)/in/", .http)
                let parcel = try depot.parcel("b #1.tar", content)
                #expect(try await deliver(parcel, to: target) == proof)
                #expect(peer.content("in/b #1.tar") == content)
                #expect(peer.content("in/b #1.tar.sha256") == Array("digest of b #1.tar\n".utf8))
                #expect(peer.log.first == "PUT /in/b%20%231.tar 201")
            }
        }
    }

    @Test(arguments: ["short", "digest=wrong"])
    func whatTheServerHasOtherwiseIsNotDelivered(fault: String) async throws {
        try await Depot.with { depot in
            try await Peer.serving(fault) { peer in
                let target = destination(peer.origin, .http)
                let parcel = try depot.parcel("b.tar", content)
                let failure = try await #require(throws: Failure.self) { try await deliver(parcel, to: target) }
                #expect(failure.code == (fault == "short" ? .truncated : .checksum))
                #expect(peer.log.count { $0.hasPrefix("PUT") } == 3, "it is tried again")
            }
        }
    }

    @Test(arguments: ["busy=2", "drop=1"])
    func whatMayPassIsTriedAgain(fault: String) async throws {
        try await Depot.with { depot in
            try await Peer.serving(fault) { peer in
                let target = destination(peer.origin, .http)
                let parcel = try depot.parcel("b.tar", content)
                #expect(try await deliver(parcel, to: target) == .size)
                #expect(peer.content("b.tar") == content)
            }
        }
    }

    @Test func missingFoldersAreMade() async throws {
        try await Depot.with { depot in
            try await Peer.serving("folders") { peer in
                let target = destination("\(peer.origin)/a/b", .http)
                let parcel = try depot.parcel("b.tar", content)
                #expect(try await deliver(parcel, to: target) == .size)
                #expect(peer.log.filter { $0.hasPrefix("MKCOL") } == ["MKCOL /a/ 201", "MKCOL /a/b/ 201"])
            }
        }
    }

    @Test func aWrongPasswordIsToldAtOnce() async throws {
        try await Depot.with { depot in
            try await Peer.serving("login=me:s3cret") { peer in
                let parcel = try depot.parcel("b.tar", content)
                let wrong = destination(peer.origin, .http) { ($0.user, $0.password) = ("me", "hunter2") }
                let failure = try await #require(throws: Failure.self) { try await deliver(parcel, to: wrong) }
                #expect(failure.code == .login && !failure.message.contains("hunter2"))
                #expect(peer.log.count == 1)
                let right = destination(peer.origin, .http) { ($0.user, $0.password) = ("me", "s3cret") }
                #expect(try await deliver(parcel, to: right) == .size)
            }
        }
    }

    @Test func nobodyThereIsAFailureOfItsOwn() async throws {
        try await Depot.with { depot in
            try await Loopback.refusing { port in
                let parcel = try depot.parcel("b.tar", content)
                let target = destination("http://127.0.0.1:\(port)/", .http)
                let failure = try await #require(throws: Failure.self) { try await deliver(parcel, to: target) }
                #expect(failure.code == .connect)
            }
        }
    }
}
