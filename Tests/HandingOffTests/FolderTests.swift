import Glibc
import Model
import TestSupport
import Testing

@testable import HandingOff

@Suite("Hand-off to a folder")
struct FolderTests {
    @Test func arrivesWholeWithWhatGoesBesideIt() async throws {
        try await Depot.with { depot in
            let content = SeededBytes.bytes(3_000_000, seed: 1)
            let target = destination("file://\(depot.folder.path)/out%20there/", .folder)
            let parcel = try depot.parcel("b.tar", content)
            #expect(try await deliver(parcel, to: target) == .content)
            #expect(try depot.folder.read("out there/b.tar") == content)
            #expect(Folder("\(depot.folder.path)/out there").names.sorted() == ["b.tar", "b.tar.sha256"])
            // Again it is found there, and not written.
            let inode = depot.folder.files("out there").first?.inode
            #expect(try await deliver(parcel, to: target) == .content)
            #expect(depot.folder.files("out there").first?.inode == inode)
        }
    }

    @Test func whatGoesBesideItIsNoProgressOfIt() async throws {
        try await Depot.with { depot in
            let parcel = try depot.parcel("b.tar", SeededBytes.bytes(70_000, seed: 5))
            #expect(!parcel.companions.isEmpty)
            let courier = try Courier(to: destination("file://\(depot.folder.path)/out", .folder))
            _ = try await courier.deliver(parcel, replaces: false, progress: nil) { _ in }
            #expect(courier.sentBytes == 70_000)
        }
    }

    @Test(.enabled(if: access("/dev/shm", W_OK) == 0))
    func onAnotherDevice() async throws {
        try await Depot.with { depot in
            try await Folder.temporary(in: "/dev/shm") { other in
                let content = SeededBytes.bytes(100_000, seed: 2)
                let target = destination("file://\(other.path)", .folder)
                let parcel = try depot.parcel("b.tar", content)
                #expect(try await deliver(parcel, to: target) == .content)
                #expect(try other.read("b.tar") == content)
            }
        }
    }

    @Test func anotherFileNamedLikeItsChecksumStays() async throws {
        try await Depot.with { depot in
            try depot.folder.write("out/b.tar.sha256", "theirs")
            let target = destination("file://\(depot.folder.path)/out", .folder)
            let parcel = try depot.parcel("b.tar", Array("ours".utf8))
            let failure = try await #require(throws: Failure.self) { try await deliver(parcel, to: target) }
            #expect(failure.message.contains("b.tar.sha256 is there already"))
            #expect(try depot.folder.text("out/b.tar.sha256") == "theirs")
            #expect(try await deliver(parcel, to: target, replaces: true) == .content)
            #expect(try depot.folder.text("out/b.tar.sha256") != "theirs")
        }
    }

    @Test func anotherFileOfThatNameStays() async throws {
        try await Depot.with { depot in
            try depot.folder.write("out/b.tar", "theirs")
            let target = destination("file://\(depot.folder.path)/out", .folder)
            let parcel = try depot.parcel("b.tar", Array("ours".utf8))
            let failure = try await #require(throws: Failure.self) { try await deliver(parcel, to: target) }
            #expect(failure.message.contains("is there already"))
            #expect(try depot.folder.text("out/b.tar") == "theirs")
            #expect(Folder("\(depot.folder.path)/out").names == ["b.tar"])
            #expect(try await deliver(parcel, to: target, replaces: true) == .content)
            #expect(try depot.folder.text("out/b.tar") == "ours")
        }
    }

    @Test func aLinkAtTheTargetIsNotFollowed() async throws {
        try await Depot.with { depot in
            try depot.folder.write("precious", "untouched")
            _ = try depot.folder.folder("out")
            symlink("../precious", "\(depot.folder.path)/out/b.tar")
            let target = destination("file://\(depot.folder.path)/out", .folder)
            let parcel = try depot.parcel("b.tar", Array("ours".utf8))
            await #expect(throws: Failure.self) { try await deliver(parcel, to: target) }
            await #expect(throws: Failure.self) { try await deliver(parcel, to: target, replaces: true) }
            #expect(try depot.folder.text("precious") == "untouched")
        }
    }

    @Test func aBundleThatWasDamagedSinceDoesNotGoOut() async throws {
        try await Depot.with { depot in
            let parcel = try depot.parcel("b.tar", Array("whole".utf8))
            let target = destination("file://\(depot.folder.path)/out", .folder)
            try depot.folder.write("bundles/b.tar", "whale")
            let failure = try await #require(throws: Failure.self) { try await deliver(parcel, to: target) }
            #expect(failure.code == .damaged)
            #expect(!depot.folder.exists("out/b.tar"))
        }
    }

    @Test func aFolderAboveThatIsMissingIsNotMade() async throws {
        try await Depot.with { depot in
            let target = destination("file://\(depot.folder.path)/not/mounted", .folder)
            let parcel = try depot.parcel("b.tar", Array("ours".utf8))
            let failure = try await #require(throws: Failure.self) { try await deliver(parcel, to: target) }
            #expect(failure.message.contains("is the disk mounted?"))
        }
    }

    @Test func whatAKillLeftIsReplaced() async throws {
        try await Depot.with { depot in
            let parcel = try depot.parcel("b.tar", Array("ours".utf8))
            let left =
                ".nightjar-\(parcel.sha256.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()).part"
            try depot.folder.write("out/\(left)", "ou")
            let target = destination("file://\(depot.folder.path)/out", .folder)
            #expect(try await deliver(parcel, to: target) == .content)
            #expect(Folder("\(depot.folder.path)/out").names.sorted() == ["b.tar", "b.tar.sha256"])
        }
    }
}
