import Digests
import Files
import HTTP
import Model

extension Courier {
    private enum There { case missing, shorter, same, longer }

    /// Sends under a temporary name, goes on where an earlier attempt broke off, and renames. SFTP tells sizes alone;
    /// what was there before, and what was sent in more than one go, is read back.
    func sendBySFTP(_ file: Consignment, _ replaces: Bool) throws -> Proof {
        let base = destination.rules.base
        let final = "\(base)/\(encoded(file.name))"
        // Named by its content, so that nothing else is ever gone on with.
        let part = ".nightjar-\(hex(file.sha256.prefix(16))).part"
        let begun = try look(at: "\(base)/\(part)", expecting: file.bytes)
        let there = try look(at: final, expecting: file.bytes)
        if there == .same, try remoteDigest(final) == file.sha256 {
            if begun != .missing { try command(["rm \(quoted(part))"]) }
            return .content
        }
        guard there == .missing || replaces else {
            throw DeliveryError(
                .io,
                "\(base)/\(file.name) is there already and is another file; move it away, or replace it with "
                    + "nightjar handoff --again")
        }
        let removals = there == .missing ? [] : ["*rm \(quoted(file.name))"]
        var upload = exchange("\(base)/\(part)")
        upload.body = .file(descriptor: file.file.number, offset: 0, count: file.bytes)
        upload.resumes = begun == .shorter
        if begun == .longer { upload.before = ["rm \(quoted(part))"] }
        if begun != .same { _ = try answer(upload, counts: true) }
        guard try look(at: "\(base)/\(part)", expecting: file.bytes) == .same else {
            throw DeliveryError(.truncated, "\(base): \(file.name) did not arrive whole", mayPass: true)
        }
        let isMixed = begun == .shorter || begun == .same
        if isMixed, try remoteDigest("\(base)/\(part)") != file.sha256 {
            try command(["rm \(quoted(part))"])
            throw DeliveryError(
                .checksum, "\(base): what an earlier attempt left of \(file.name) was other", mayPass: true)
        }
        try command(removals + ["rename \(quoted(part)) \(quoted(file.name))"])
        guard try look(at: final, expecting: file.bytes) == .same else {
            throw DeliveryError(.truncated, "\(base): \(file.name) is not there whole", mayPass: true)
        }
        return isMixed ? .content : .size
    }

    private func exchange(_ url: String) -> Exchange {
        var exchange = Exchange(url)
        let user = destination.user ?? ""
        if let key = destination.rules.credentials.key {
            exchange.login = .sshKey(user: user, path: key, passphrase: destination.keyPassphrase)
        } else {
            exchange.login = .ssh(user: user, password: destination.password)
        }
        exchange.knownHosts = destination.rules.knownHosts
        return exchange
    }

    /// How the size of a file at the target compares: asked for what comes after the bytes expected.
    private func look(at url: String, expecting bytes: Int64) throws -> There {
        var ask = exchange(url)
        ask.offset = bytes
        ask.limit = 0
        do {
            _ = try run(ask)
            return .same
        } catch let error as ExchangeError {
            switch error.kind {
            case .missing: return .missing
            case .tooShort: return .shorter
            case .tooLong: return .longer
            default: throw delivery(error)
            }
        }
    }

    /// SHA-256 of a file at the target, which is fetched for it.
    private func remoteDigest(_ url: String) throws -> [UInt8] {
        let hash = try Observer()
        var ask = exchange(url)
        ask.observe = { hash.update($0) }
        _ = try answer(ask)
        return try hash.digest()
    }

    /// Commands on the target's folder; the listing that a transfer must be is dropped.
    private func command(_ commands: [String]) throws {
        var ask = exchange("\(destination.rules.base)/")
        ask.before = commands
        ask.observe = { _ in }
        _ = try answer(ask)
    }

    /// A path below the target's folder as libcurl's commands take it.
    private func quoted(_ name: String) -> String {
        let base = destination.rules.base
        let start = base.firstRange(of: "://")?.upperBound ?? base.startIndex
        let folder = base[start...].firstIndex(of: "/").map { decoded(String(base[$0...])) } ?? ""
        let path = "\(folder)/\(name)".replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(path)\""
    }
}

/// SHA-256 of what a callback sees.
private final class Observer {
    private var hash: SHA256
    private var failure: DigestError?

    init() throws(DigestError) { hash = try SHA256() }

    func update(_ bytes: UnsafeRawBufferPointer) {
        do { try hash.update(bytes) } catch { failure = error }
    }

    func digest() throws(DigestError) -> [UInt8] {
        if let failure { throw failure }
        return try hash.current()
    }
}
