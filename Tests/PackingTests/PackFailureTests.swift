import Files
import Foundation
import Model
import TestSupport
import Testing

@testable import Packing

@Suite("Packing that must not succeed")
struct PackFailureTests {
    /// Packs a good and a bad item; nothing may be left.
    private func fail(_ depot: Depot, _ bad: PackItem, _ format: BundleFormat) async throws -> Failure {
        let items = [try depot.item("a", SeededBytes.bytes(600_000, seed: 3)), bad]
        let failure = try await #require(throws: Failure.self) { try await depot.pack(items, format) }
        #expect(try depot.bundles.names().isEmpty)
        #expect(failure.message.hasPrefix("bundle b.\(format.rawValue) was not written: "))
        return failure
    }

    @Test(arguments: BundleFormat.allCases)
    func contentThatChanged(format: BundleFormat) async throws {
        let depot = try Depot()
        var shorter = try depot.item("b", "content")
        shorter.bytes += 1
        #expect(try await fail(depot, shorter, format).code == .checksum)
        var longer = try depot.item("b", SeededBytes.bytes(500_000, seed: 4))
        longer.bytes -= 1
        #expect(try await fail(depot, longer, format).code == .checksum)
        var other = try depot.item("b", SeededBytes.bytes(500_000, seed: 4))
        other.sha256[31] ^= 1
        let failure = try await fail(depot, other, format)
        #expect(failure.code == .checksum)
        #expect(failure.message.contains("changed while it was packed"))
    }

    @Test func contentThatVanished() async throws {
        let depot = try Depot()
        let item = try depot.item("b", "content")
        try depot.objects.remove(item.object)
        #expect(try await fail(depot, item, .tar).code == .io)
    }

    @Test func contentThatIsNoRegularFile() async throws {
        let depot = try Depot()
        var item = try depot.item("b", "content")
        symlink("\(depot.objects.path)/\(item.object)", "\(depot.objects.path)/link")
        mkfifo("\(depot.objects.path)/fifo", 0o644)
        mkdir("\(depot.objects.path)/folder", 0o755)
        #expect(socket(at: "\(depot.objects.path)/socket"))
        var objects = ["link", "fifo", "folder", "socket"]
        // Only root may make one.
        if mknod("\(depot.objects.path)/device", S_IFCHR | 0o644, 0x103) == 0 { objects.append("device") }
        for object in objects {
            item.object = object
            #expect(try await fail(depot, item, .zip).code == .io, "\(object)")
        }
    }

    @Test func contentThatLiesElsewhere() async throws {
        let depot = try Depot()
        var item = try depot.item("b", "content")
        let elsewhere = try Directory("\(depot.path)/elsewhere", create: true)
        try elsewhere.create("secret").write(Array("private".utf8))
        symlink(elsewhere.path, "\(depot.objects.path)/outside")
        item.object = "outside/secret"
        #expect(try await fail(depot, item, .tar).code == .checksum)
    }

    private func socket(at path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let number = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(number) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    @Test(arguments: ["../b", "b", "a"])
    func namesThatCannotBe(name: String) async throws {
        let depot = try Depot()
        var item = try depot.item("c", "content")
        let first = try depot.item("b", "other")
        item.name = name
        let items = [first, item]
        await #expect(throws: Failure.self) { try await depot.pack(items, .tar) }
        #expect(try depot.bundles.names().isEmpty)
    }

    @Test(arguments: ["", "..", "a/b.tar", "/b.tar"])
    func bundleNamesThatCannotBe(name: String) async throws {
        let depot = try Depot()
        let item = try depot.item("c", "content")
        await #expect(throws: Failure.self) { try await depot.pack([item], .tar, name: name) }
    }

    @Test(arguments: BundleFormat.allCases)
    func cancelledInTheMiddle(format: BundleFormat) async throws {
        let depot = try Depot()
        let item = try depot.item("", SeededBytes.bytes(1_000_000, seed: 5))
        var rules = PackRules(id: "1", format: format)
        if format != .tar { rules.level = 1 }
        let started = AsyncStream.makeStream(of: Void.self)
        // Without an end, so that only the cancellation can stop it.
        let source = Endless(item: item, asked: started.continuation)
        let task = Task { [rules] in
            try await depot.packer.pack(
                "b.\(format.rawValue)", job: "job", rules: rules, from: source, ledger: NoLedger())
        }
        for await _ in started.stream { break }
        task.cancel()
        let failure = try await #require(throws: Failure.self) { try await task.value }
        #expect(failure.code == .cancelled)
        #expect(try depot.bundles.names().isEmpty)
    }

    @Test(arguments: [(ENOSPC, ErrorCode.diskFull), (EDQUOT, .diskFull), (EIO, .io), (EROFS, .io)])
    func systemErrorsHaveTheirCode(code: Int32, expected: ErrorCode) {
        let failure = Failure(packing: "b", SystemError("write", "/x/b", code: code))
        #expect(failure.code == expected)
        #expect(failure.message.contains("cannot write /x/b: \(String(cString: strerror(code)))"))
    }
}

/// The same content under ever new names.
private actor Endless: PackSource {
    private let item: PackItem
    private let asked: AsyncStream<Void>.Continuation
    private var number = 1_000_000

    init(item: PackItem, asked: AsyncStream<Void>.Continuation) {
        self.item = item
        self.asked = asked
    }

    func next() -> [PackItem] {
        number += 1
        var next = item
        next.name = "n\(number)"
        asked.yield()
        return [next]
    }

    func restart() {}
}
