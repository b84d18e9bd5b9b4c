import Database
import Digests
import Files
import Lanes

/// A bundle as the catalog has it.
struct KnownBundle: Sendable {
    let path: String
    let bytes: Int64
    let sha256: String
    let isHandedOff: Bool
    /// True when a target has it, so that it is not only written.
    var isDelivered = false
    /// Names of the files beside it that go where it goes.
    var companions: [String] = []

    /// What may lie beside a bundle, whatever the ledger says.
    static let endings = [".sha256", ".sig", ".minisig", ".asc"]

    /// The name alone.
    var file: String { path.split(separator: "/").last.map(String.init) ?? path }
    var folder: String { String(path.dropLast(file.utf8.count + 1)) }
}

extension Verifier {
    func verifyBundles(_ result: inout VerifyResult, _ locks: [String: FileLock]) async throws {
        for bundle in try await store.catalog.writtenBundles() {
            result.bundles += 1
            let (root, isDeep, meter) = (store.root, options.isDeep, meter)
            let problem = try await pool.run { () -> String? in
                do { return try Self.fault(of: bundle, below: root, isDeep: isDeep, meter) } catch {
                    return "unreadable: \(error)"
                }
            }
            if let problem {
                result.add(try await settle(problem, bundle, locks))
            } else if let finding = try await verifyChecksum(of: bundle) {
                result.add(finding)
            }
        }
    }

    private static func fault(
        of bundle: KnownBundle, below root: Directory, isDeep: Bool, _ meter: Meter
    ) throws -> String? {
        guard let folder = try? root.directory(bundle.folder), let status = try folder.status(bundle.file) else {
            return "missing"
        }
        guard status.isRegular, status.bytes == bundle.bytes else {
            return "damaged: it has \(status.bytes) bytes instead of \(bundle.bytes)"
        }
        guard isDeep else { return nil }
        let found = hex(try digest(of: folder.open(bundle.file), meter))
        return found == bundle.sha256 ? nil : "damaged: its content has the SHA-256 \(found)"
    }

    /// A bundle that is not whole leaves its place, so that what it held can be packed again under its name.
    private func settle(
        _ problem: String, _ bundle: KnownBundle, _ locks: [String: FileLock]
    ) async throws -> Finding {
        func finding(_ remedy: String, isRepaired: Bool = false) -> Finding {
            Finding(path: bundle.path, problem: problem, remedy: remedy, isRepaired: isRepaired)
        }
        let job = bundle.path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
        guard options.repairs else { return finding("nothing was changed (--dry-run)") }
        guard locks[job] != nil else { return finding(Self.busy(job)) }
        if problem.hasPrefix("unreadable") { return finding("look at the disk and its log, then verify again") }
        var aside = ""
        if problem != "missing" {
            let (root, now) = (store.root, options.now)
            let name = try await pool.run { () -> String in
                let folder = try root.directory(bundle.folder)
                // A folder in its place has no time that could be set.
                try? folder.open(bundle.file).setModified(now)
                let quarantine = try root.directory("quarantine/\(job)", create: true)
                return try folder.setAside(bundle.file, in: quarantine, as: bundle.file, ".damaged")
            }
            aside = "set aside as quarantine/\(job)/\(name); "
        }
        // Where nothing is handed off, who took the bundle away has it; one that is damaged nobody has.
        if bundle.isDelivered || bundle.isHandedOff && aside.isEmpty {
            try await store.catalog.markRemoved([bundle.path], at: options.now)
            return finding(
                "\(aside)it had been handed off; the catalog notes that it is no longer here", isRepaired: true)
        }
        try await store.catalog.forget([bundle.path], of: job, at: options.now)
        return finding(
            "\(aside)the next run of '\(job)', or 'nightjar pack \(job)', packs what it held again", isRepaired: true)
    }

    /// The bundle is whole: what lies beside it must say so too.
    private func verifyChecksum(of bundle: KnownBundle) async throws -> Finding? {
        let (root, repairs) = (store.root, options.repairs)
        return try await pool.run {
            let folder = try root.directory(bundle.folder)
            let name = "\(bundle.file).sha256"
            let line = "\(bundle.sha256)  \(bundle.file)\n"
            let found = try? folder.open(name).readAll(limit: 1 << 16)
            // A name with a backslash or a line end is written escaped, so the digest alone is compared.
            let text = found.map { String(decoding: $0, as: UTF8.self) } ?? ""
            if text.drop(while: { $0 == "\\" }).hasPrefix(bundle.sha256) { return nil }
            if repairs { try folder.replace(name, with: Array(line.utf8)) }
            return Finding(
                path: "\(bundle.path).sha256", problem: found == nil ? "missing" : "it names another SHA-256",
                remedy: repairs ? "repaired: written again" : "nothing was changed (--dry-run)", isRepaired: repairs)
        }
    }
}

extension Catalog {
    func writtenBundles() throws -> [KnownBundle] {
        try database.rows(
            """
            SELECT path, bytes, sha256, handed_off, handed_off IS NOT NULL AND EXISTS (
                SELECT 1 FROM handoffs WHERE bundle = bundles.id)
            FROM bundles WHERE published = 1 AND removed IS NULL ORDER BY path
            """
        ) { row in
            KnownBundle(
                path: row.text(0), bytes: row.integer(1), sha256: row.text(2), isHandedOff: !row.isNull(3),
                isDelivered: row.int(4) != 0)
        }
    }

    func markRemoved(_ paths: [String], at seconds: Double) throws {
        try database.transaction {
            for path in paths {
                try database.run(
                    "UPDATE bundles SET removed = ? WHERE path = ? AND removed IS NULL", [.real(seconds), .text(path)])
            }
        }
    }
}
