package import Files
import Glibc
import HTTP
import Model
import Synchronization
import Times
import URLs

/// Hosts that have asked to be reached by TLS only (RFC 6797), kept in a file as curl writes it. Runs at the same time
/// may share the file: each adds what it has learned to what the others have written.
package final class HSTSStore: Sendable {
    private struct Entry: Hashable {
        /// Seconds since 1970.
        var expires: Double
        var includesSubdomains: Bool
    }
    private struct State {
        var entries: [String: Entry] = [:]
        /// What was learned here; nil takes a host back.
        var changes: [String: Entry?] = [:]
    }
    private let state = Mutex(State())
    private let root: Directory?
    private static let name = "hsts.txt"
    private static let most = 10_000
    private static let mostBytes = 4 << 20

    /// Nothing is known, and nothing kept.
    package init() { root = nil }

    /// What earlier runs have learned; a file that cannot be read teaches nothing.
    package init(in root: Directory) {
        self.root = root
        let entries = Self.read(root)
        state.withLock { $0.entries = entries }
    }

    /// Whether a host is to be asked by TLS only.
    /// - Parameter now: seconds since 1970.
    func isKnown(_ host: String, now: Double) -> Bool {
        guard IPAddress(host) == nil else { return false }
        return state.withLock { state in
            guard !state.entries.isEmpty else { return false }
            var name = Self.plain(host)[...]
            if let entry = state.entries[String(name)], entry.expires > now { return true }
            while let dot = name.firstIndex(of: ".") {
                name = name[name.index(after: dot)...]
                if let entry = state.entries[String(name)], entry.includesSubdomains, entry.expires > now {
                    return true
                }
            }
            return false
        }
    }

    /// Takes a field from an answer that came by TLS with a certificate that was verified.
    func learn(_ headers: HeaderFields, from host: String, now: Double) {
        guard let field = headers.bytes("strict-transport-security"), let policy = HSTSPolicy(field),
            IPAddress(host) == nil
        else { return }
        let name = Self.plain(host)
        let entry = Entry(expires: now + Double(policy.maxAge), includesSubdomains: policy.includesSubdomains)
        state.withLock { state in
            guard policy.maxAge > 0 else {
                if state.entries.removeValue(forKey: name) != nil { state.changes[name] = .some(nil) }
                return
            }
            guard state.entries.count < Self.most || state.entries[name] != nil else { return }
            // Every answer says it again; a day more or less is not worth a write.
            let known = state.entries[name]
            state.entries[name] = entry
            let isNew = known.map {
                $0.includesSubdomains != entry.includesSubdomains || abs($0.expires - entry.expires) > 86400
            }
            if isNew ?? true { state.changes[name] = entry }
        }
    }

    /// Adds what was learned to the file; does nothing when that is nothing. Blocks.
    /// - Throws: `SystemError`.
    package func save(now: Double) throws {
        guard let root else { return }
        let changes = state.withLock { state in
            defer { state.changes = [:] }
            return state.changes
        }
        guard !changes.isEmpty else { return }
        let lock = try Self.lock(root)
        defer { _ = lock }
        var entries = Self.read(root)
        for (name, entry) in changes { entries[name] = entry }
        let kept = entries.filter { $0.value.expires > now }.sorted {
            $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
        }
        var text = "# Hosts that are reached by TLS only; the format is curl's (--hsts).\n"
        for (name, entry) in kept.prefix(Self.most) {
            text += "\(entry.includesSubdomains ? "." : "")\(name) \"\(Self.stamp(entry.expires))\"\n"
        }
        try root.replace(Self.name, with: Array(text.utf8), mode: 0o600)
    }

    /// Waits for the other runs, which hold the lock for a moment.
    private static func lock(_ root: Directory) throws -> FileLock {
        let folder = try root.directory("locks", create: true)
        for _ in 0..<500 {
            if case .held(let lock) = try FileLock.attempt("hsts.lock", in: folder, note: "") { return lock }
            usleep(10_000)
        }
        throw SystemError("lock", folder.below("hsts.lock"), code: EAGAIN)
    }

    private static func read(_ root: Directory) -> [String: Entry] {
        guard let file = try? root.open(name), let bytes = try? file.readAll(limit: mostBytes) else { return [:] }
        var entries: [String: Entry] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            let parts = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 1)
            guard parts.count == 2, entries.count < most else { continue }
            let includes = parts[0].hasPrefix(".")
            let name = plain(String(includes ? parts[0].dropFirst() : parts[0]))
            guard !name.isEmpty, let expires = time(String(parts[1])) else { continue }
            entries[name] = Entry(expires: expires, includesSubdomains: includes)
        }
        return entries
    }

    /// `20301231 12:00:00` in UTC, as curl has it.
    private static func stamp(_ seconds: Double) -> String {
        let text = RFC3339.format(min(seconds, 253_402_300_799)).utf8.filter { $0 != UInt8(ascii: "-") }
        return String(decoding: text.map { $0 == UInt8(ascii: "T") ? UInt8(ascii: " ") : $0 }.dropLast(), as: UTF8.self)
    }

    private static func time(_ quoted: String) -> Double? {
        let text = quoted.utf8.filter { $0 != UInt8(ascii: "\"") && $0 != 0x0D }
        if text.elementsEqual("unlimited".utf8) { return 253_402_300_799 }
        guard text.count == 17 else { return nil }
        let date = String(decoding: text.prefix(8), as: UTF8.self)
        let rest = String(decoding: text.suffix(8), as: UTF8.self)
        return RFC3339.parse("\(date.prefix(4))-\(date.dropFirst(4).prefix(2))-\(date.suffix(2))T\(rest)Z")
    }

    /// In lower case, without the dot that ends a full name.
    private static func plain(_ host: String) -> String {
        let name = host.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}
