import Digests
import Files
import Model
import Synchronization
import TestSupport

@testable import HandingOff

/// A folder of bundles, and what a courier has kept for later.
struct Depot: Sendable {
    let folder: Folder
    let bundles: Directory

    static func with<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Depot) async throws -> sending Result
    ) async throws -> sending Result {
        try await Folder.temporary { folder in
            try folder.write("bundles/x", "")
            return try await body(Depot(folder: folder, bundles: try Directory("\(folder.path)/bundles")))
        }
    }

    func parcel(_ name: String, _ content: [UInt8]) throws -> Parcel {
        try folder.write("bundles/\(name)", content)
        try folder.write("bundles/\(name).sha256", "digest of \(name)\n")
        return Parcel(
            folder: bundles, name: name, bytes: Int64(content.count), sha256: try SHA256.digest(of: content),
            companions: ["\(name).sha256"])
    }
}

/// Delivers with short waits.
func deliver(
    _ parcel: Parcel, to destination: Destination, replaces: Bool = false, progress: String? = nil,
    keep: @escaping @Sendable (String?) -> Void = { _ in }
) async throws -> Proof {
    let courier = try Courier(to: destination, waits: [.milliseconds(5), .milliseconds(5)])
    return try await courier.deliver(parcel, replaces: replaces, progress: progress) { keep($0) }
}

func destination(_ to: String, _ kind: HandoffRules.Kind, _ change: (inout Destination) -> Void = { _ in })
    -> Destination
{
    var destination = Destination(HandoffRules(to: to, kind: kind))
    change(&destination)
    return destination
}

/// Something that a callback leaves behind.
final class Note: Sendable {
    private let state = Mutex<[String?]>([])
    var all: [String?] { state.withLock { $0 } }

    func take(_ text: String?) { state.withLock { $0.append(text) } }
}
