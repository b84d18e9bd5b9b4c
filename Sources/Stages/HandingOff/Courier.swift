import Digests
import Files
import HTTP
package import Lanes
package import Model
import Synchronization

/// Brings bundles to one target. The work is done on a lane; cancelling the task stops it within a second.
package actor Courier {
    /// Tries again after a failure that may pass, with these waits.
    package static let waits: [Duration] = [.seconds(1), .seconds(4), .seconds(15)]

    let destination: Destination
    private let lane: Lane
    private let waits: [Duration]
    private let done = Atomic<Int64>(0)
    private let isCancelled = Atomic(false)
    /// Whether what goes out is the bundle itself.
    private var isBundle = true

    package nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }

    package init(to destination: Destination, waits: [Duration] = Courier.waits) throws(LaneError) {
        self.destination = destination
        self.waits = waits
        lane = try Lane("handoff")
    }

    /// Bytes of the bundle at hand that are at the target, for whoever looks from outside.
    package nonisolated var sentBytes: Int64 { done.load(ordering: .relaxed) }

    /// Delivers a bundle, then what goes beside it.
    /// - Parameters:
    ///   - replaces: whether another file of that name at the target is replaced; else it is an error. A store and a
    ///     web server replace in any case.
    ///   - progress: what an earlier attempt left to go on with.
    ///   - keep: records what a later attempt could go on with.
    /// - Returns: what is known of the bundle there.
    package func deliver(
        _ parcel: Parcel, replaces: Bool, progress: String?, keep: @Sendable (String?) async throws -> Void
    ) async throws(Failure) -> Proof {
        done.store(0, ordering: .relaxed)
        isCancelled.store(false, ordering: .relaxed)
        isBundle = true
        do {
            return try await withTaskCancellationHandler {
                var progress = progress
                let proof = try await retrying {
                    try await send(consignment(parcel), replaces, &progress, keep)
                }
                isBundle = false
                for name in parcel.companions {
                    var none: String?
                    _ = try await retrying { try await send(companion(name, of: parcel), replaces, &none) { _ in } }
                }
                return proof
            } onCancel: {
                isCancelled.store(true, ordering: .relaxed)
            }
        } catch let error as DeliveryError {
            throw error.failure
        } catch let failure as Failure {
            throw failure
        } catch is CancellationError {
            throw Failure(.cancelled, "the hand-off was stopped; the next run goes on with it")
        } catch {
            throw Failure((error as? SystemError)?.isDiskFull == true ? .diskFull : .io, "\(error)")
        }
    }

    private func retrying<Result>(_ attempt: () async throws -> Result) async throws -> Result {
        for wait in waits {
            do { return try await attempt() } catch let error as DeliveryError where error.mayPass {
                try await Task.sleep(for: wait * Double.random(in: 0.75...1.25))
            }
        }
        return try await attempt()
    }

    private func send(
        _ file: Consignment, _ replaces: Bool, _ progress: inout String?,
        _ keep: @Sendable (String?) async throws -> Void
    ) async throws -> Proof {
        switch destination.rules.kind {
        case .folder: try sendToFolder(file, replaces)
        case .http: try sendToWeb(file)
        case .sftp: try sendBySFTP(file, replaces)
        case .s3: try await sendToStore(file, &progress, keep)
        }
    }

    /// Opens the bundle and holds it against the ledger: what was damaged on the disk must not go out.
    private func consignment(_ parcel: Parcel) throws -> Consignment {
        let path = parcel.folder.below(parcel.name)
        let file = try parcel.folder.open(parcel.name)
        guard try file.status().isRegular, try file.status().bytes == parcel.bytes,
            try digest(of: file) == parcel.sha256
        else {
            throw DeliveryError(
                .damaged, "\(path) is not what was packed; it was damaged or changed since, and is not handed off")
        }
        return Consignment(name: parcel.name, file: file, bytes: parcel.bytes, sha256: parcel.sha256)
    }

    private func companion(_ name: String, of parcel: Parcel) throws -> Consignment {
        let file = try parcel.folder.open(name)
        let bytes = try file.status().bytes
        let sha256 = try digest(of: file)
        return Consignment(name: name, file: file, bytes: bytes, sha256: sha256)
    }

    /// SHA-256 of a file from its start.
    func digest(of file: borrowing Descriptor) throws -> [UInt8] {
        try file.seek(to: 0)
        var hash = try SHA256()
        var chunk = [UInt8](repeating: 0, count: 256 * 1024)
        while true {
            let count = try chunk.withUnsafeMutableBytes { buffer in
                let count = try file.read(into: buffer)
                try hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return count
            }
            try checkCancellation()
            if count == 0 { return try hash.finish() }
        }
    }

    /// Notes how much of the bundle is at the target.
    func tell(_ sent: Int64) {
        if isBundle { done.store(sent, ordering: .relaxed) }
    }

    func checkCancellation() throws {
        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
    }

    /// One exchange, with errors that say what may pass.
    /// - Parameter start: bytes of the bundle that are at the target before it.
    func run(_ exchange: Exchange, from start: Int64 = 0, counts: Bool = false) throws -> ExchangeAnswer {
        try checkCancellation()
        let counts = counts && isBundle
        var exchange = exchange
        exchange.authorities = destination.rules.authorities
        exchange.proxy = destination.proxy
        do throws(ExchangeError) {
            return try exchange.run(isCancelled: { isCancelled.load(ordering: .relaxed) }) { sent in
                if counts { done.store(start + sent, ordering: .relaxed) }
            }
        } catch {
            if error.kind == .cancelled { throw CancellationError() }
            throw error
        }
    }

    /// What an exchange's error means for the delivery.
    func delivery(_ error: ExchangeError) -> DeliveryError {
        let code: ErrorCode =
            switch error.kind {
            case .dns: .dns
            case .connect, .unavailable: .connect
            case .tls: .tls
            case .timeout: .timeout
            case .reset: .reset
            case .login: .login
            case .diskFull: .diskFull
            case .missing, .refused, .io: .io
            default: .protocolError
            }
        return DeliveryError(code, "\(destination.rules.to): \(error.message)", mayPass: error.mayPass)
    }
}

/// A path as a URL has it: everything but unreserved characters and slashes percent-encoded (RFC 3986, 2.3), which is
/// also what a signature is computed from.
func encoded(_ path: String, keepsSlashes: Bool = true) -> String {
    let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    var result = ""
    for byte in path.utf8 {
        if unreserved.contains(byte) || keepsSlashes && byte == UInt8(ascii: "/") {
            result.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
            result += "%" + hex([byte]).uppercased()
        }
    }
    return result
}
