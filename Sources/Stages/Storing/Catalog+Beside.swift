import Database
package import Files
import Glibc
import Lanes
import Model

/// A catalog that is made beside the one in use takes its place whole or not at all.
extension Store {
    static let catalogName = "catalog.sqlite"
    static let rebuildName = "catalog.sqlite.rebuild"
    /// What SQLite puts beside a database.
    private static let besides = ["-wal", "-shm", "-journal"]

    /// True when earlier runs stored something below a root and there is no catalog, or an empty one, which SQLite
    /// would take for a new one.
    static func hasLostCatalog(_ root: Directory) throws(SystemError) -> Bool {
        if let status = try root.status(catalogName), status.bytes > 0 || !status.isRegular { return false }
        for folder in ["objects", "reports", "bundles"] {
            guard let top = try? root.directory(folder) else { continue }
            for name in try top.names() where !name.hasPrefix(".") {
                guard let inner = try? top.directory(name) else { continue }
                if try inner.names().contains(where: { !$0.hasPrefix(".") }) { return true }
            }
        }
        return false
    }

    /// The lock that no job's run and no removal of objects goes together with.
    package static func lockRoot(_ root: Directory, note: String) throws(SystemError) -> FileLock.Attempt {
        try FileLock.attempt(objectsLock, in: root.directory("locks", create: true), note: note)
    }

    /// Removes what a rebuild that was killed has left.
    package static func removeRebuild(in root: Directory) throws(SystemError) {
        for suffix in [""] + besides { try root.remove(rebuildName + suffix) }
    }

    /// - Throws: ``StoreError/replacedCatalog(_:)`` when the catalog's name stands for another file by now.
    func checkCatalog() throws {
        let status = try root.status(Self.catalogName)
        guard let opened, status?.inode == opened.inode, status?.device == opened.device else {
            throw StoreError.replacedCatalog(root.below(Self.catalogName))
        }
    }

    /// Gives a catalog that was made beside the other one its place. What was there lies beside it as
    /// `catalog.sqlite.<word>-<stamp>`. The store is of no use afterwards. The caller holds ``lockRoot(_:note:)``.
    /// - Returns: the name under which the old one lies; nil when there was none.
    package func replaceCatalog(word: String, stamp: String) async throws -> String? {
        try await catalog.seal()
        let root = root
        return try await disk.run {
            try root.open(Self.rebuildName).synchronize()
            let aside = try Self.keepCatalog(of: root, as: "\(Self.catalogName).\(word)-\(stamp)")
            try root.synchronize()
            try root.rename(Self.rebuildName, to: root, Self.catalogName)
            try root.synchronize()
            return aside
        }
    }

    /// The old one keeps its own name too until the new one takes it, so that there is one at any moment. What SQLite
    /// put beside it must go before: it would be taken for the new one's.
    private static func keepCatalog(of root: Directory, as front: String) throws -> String? {
        var name: String?
        if try root.status(catalogName) != nil {
            var number = 1
            while try root.status(number == 1 ? front : "\(front)-\(number)") != nil { number += 1 }
            let free = number == 1 ? front : "\(front)-\(number)"
            do { try root.link(catalogName, to: root, free) } catch {
                try root.rename(catalogName, to: root, free)
            }
            name = free
        }
        for suffix in besides where try root.status(catalogName + suffix) != nil {
            if let name {
                try root.rename(catalogName + suffix, to: root, name + suffix)
            } else {
                try root.remove(catalogName + suffix)
            }
        }
        return name
    }

    /// Copies a sound catalog, as the beginning of one that is made beside it.
    package func copyCatalog() async throws {
        try await catalog.copy(to: root.below(Self.rebuildName))
    }
}

extension Catalog {
    /// All is in the one file when this returns.
    func seal() throws {
        try database.script(
            "PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
    }

    fileprivate func copy(to path: String) throws { try database.run("VACUUM INTO ?", [.text(path)]) }

    /// Gives the runs new numbers in the same order with room between them, for runs that were before some of them.
    package func spreadRuns() throws {
        try database.transaction {
            try database.script(
                """
                CREATE TEMP TABLE spread(old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
                INSERT INTO spread SELECT number, row_number() OVER (ORDER BY number) * 1048576 FROM runs;
                """)
            for (table, column) in Self.runColumns {
                // First below zero, where no number is taken.
                try database.script(
                    """
                    UPDATE \(table) SET \(column) = -(SELECT new FROM spread WHERE old = \(column))
                    WHERE \(column) IN (SELECT old FROM spread);
                    UPDATE \(table) SET \(column) = -\(column) WHERE \(column) < 0;
                    """)
            }
            try database.script("DROP TABLE spread")
        }
        forgetCaches()
    }

    private static let runColumns: [(StaticString, StaticString)] = [
        ("runs", "number"), ("visits", "run"), ("resources", "first_run"), ("resources", "last_run"),
        ("names", "run"), ("bundles", "run"), ("jobs", "held_by"),
    ]

    /// The ids of all runs.
    package func runIDs() throws -> Set<String> { Set(try database.rows("SELECT id FROM runs") { $0.text(0) }) }
}
