import Model
import TestSupport
import Testing

@testable import HandingOff

@Suite("Hand-off to an S3-compatible store", .enabled(if: Program.isInstalled("python3")))
struct StoreTests {
    private func store(_ peer: Peer, _ prefix: String = "bucket/a (b)!*'/c", secret: String = "sec/ret+") -> Destination
    {
        destination("s3://\(prefix)", .s3) { destination in
            destination.rules.endpoint = peer.origin
            destination.rules.region = "eu-central-1"
            (destination.user, destination.password) = ("AKIDEXAMPLE", secret)
        }
    }

    @Test func aSignedObjectArrives() async throws {
        try await Depot.with { depot in
            try await Peer.serving("s3=AKIDEXAMPLE:sec/ret+") { peer in
                let content = SeededBytes.bytes(1_000_000, seed: 4)
                let parcel = try depot.parcel("b (1)!*'.tar", content)
                #expect(try await deliver(parcel, to: store(peer)) == .content)
                #expect(peer.content("bucket/a (b)!*'/c/b (1)!*'.tar") == content)
                #expect(peer.log.allSatisfy { $0.hasSuffix(" 200") }, "\(peer.log)")
            }
        }
    }

    @Test func aWrongSecretIsRefused() async throws {
        try await Depot.with { depot in
            try await Peer.serving("s3=AKIDEXAMPLE:sec/ret+") { peer in
                let parcel = try depot.parcel("b.tar", [1])
                let failure = try await #require(throws: Failure.self) {
                    try await deliver(parcel, to: store(peer, secret: "other"))
                }
                #expect(failure.code == .login && failure.message.contains("SignatureDoesNotMatch"))
            }
        }
    }

    @Test func aTokenIsSignedToo() async throws {
        try await Depot.with { depot in
            try await Peer.serving("s3=AKIDEXAMPLE:sec/ret+") { peer in
                var target = store(peer)
                target.sessionToken = "to+ken/=="
                let parcel = try depot.parcel("b.tar", [1])
                #expect(try await deliver(parcel, to: target) == .content)
            }
        }
    }

    /// 70 MiB are three parts; the second upload breaks off.
    @Test func aLargeOneGoesInPartsAndGoesOn() async throws {
        try await Depot.with { depot in
            let content = SeededBytes.bytes(70 << 20, seed: 5)
            let parcel = try depot.parcel("b.tar", content)
            let note = Note()
            try await Peer.serving("s3=AKIDEXAMPLE:sec/ret+", "drop=3") { peer in
                let broken = try Courier(to: store(peer), waits: [])
                await #expect(throws: Failure.self) {
                    try await broken.deliver(parcel, replaces: false, progress: nil) { note.take($0) }
                }
                let id = try #require(note.all.last ?? nil)
                #expect(try await deliver(parcel, to: store(peer), progress: id, keep: { note.take($0) }) == .content)
                #expect(peer.content("bucket/a (b)!*'/c/b.tar") == content)
                #expect(peer.log.count { $0.contains("partNumber=1&") } == 1, "the first part goes once: \(peer.log)")
                #expect(note.all.last == .some(nil))
            }
        }
    }

    @Test func anUploadThatTheStoreForgotBeginsAnew() async throws {
        try await Depot.with { depot in
            try await Peer.serving("s3=AKIDEXAMPLE:sec/ret+") { peer in
                let parcel = try depot.parcel("b.tar", [UInt8](repeating: 7, count: 65 << 20))
                #expect(try await deliver(parcel, to: store(peer), progress: "gone") == .content)
            }
        }
    }

    @Test(arguments: [(65 << 20, 3, 32 << 20), (500 << 30, 8983, 57 << 20), (5 << 40, 8993, 583 << 20)])
    func partsAreNeverTooMany(bytes: Int, count: Int, size: Int) {
        let parts = StoreParts(bytes: Int64(bytes)).parts
        #expect(parts.count == count && parts.count <= 10_000)
        #expect(parts[0].count == Int64(size))
        #expect(parts.reduce(0) { $0 + $1.count } == Int64(bytes))
        #expect(parts.map(\.number) == Array(1...count))
    }

    @Test func answersOfAnyFormAreRead() {
        let xml = Array("<a><Part><ETag>&quot;x&amp;y&quot;</ETag></Part><Part></Part><Part>".utf8)
        #expect(elements("ETag", in: xml) == ["\"x&y\""])
        #expect(elements("Part", in: xml).count == 2)
        #expect(elements("Code", in: [0xff, 0xfe]).isEmpty)
    }
}
