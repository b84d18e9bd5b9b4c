import Database
import Digests
import Files
import Lanes

/// Who needs some content.
struct ContentUses: Sendable {
    /// Jobs that can fetch it again.
    var jobs: [String] = []
    var names: [(job: String, name: String)] = []
}

extension Store {
    /// Where damaged objects go; no job can be called that.
    static let lostAndFound = "quarantine/_objects"

    /// Gives damaged or missing content back to its object from a file that still has it. What is damaged is set aside,
    /// and with it the names that are links to it.
    /// - Returns: false when no file has the content.
    func mend(_ content: StoredContent, from names: [(job: String, name: String)], at seconds: Double) async throws
        -> Bool
    {
        let (root, files, objects) = (root, files, objects)
        return try await disk.run {
            let object = ObjectName(content.sha256)
            let shelf = try objects.directory(object.folder, create: true)
            let damaged = try shelf.status(object.file)
            if let damaged {
                if damaged.isRegular { try? shelf.open(object.file).setModified(seconds) }
                let aside = try root.directory(Self.lostAndFound, create: true)
                try shelf.rename(object.file, to: aside, "\(object.file).damaged")
            }
            var isMended = false
            for (job, name) in names {
                let (path, file) = Placer.split(name)
                guard let folder = try? files.directory(path.isEmpty ? job : "\(job)/\(path)"),
                    let status = try folder.status(file), status.isRegular
                else { continue }
                if let damaged, damaged.inode == status.inode, damaged.device == status.device {
                    try folder.remove(file)
                } else if !isMended, status.bytes == content.bytes,
                    try digest(of: folder.open(file)) == content.sha256
                {
                    try folder.link(file, to: shelf, object.file)
                    try shelf.open(object.file).setMode(0o444)
                    isMended = true
                }
            }
            try shelf.synchronize()
            return isMended
        }
    }
}

extension Catalog {
    /// What SQLite finds wrong with the file; empty when nothing is.
    func faults(isDeep: Bool) throws -> [String] {
        let check = isDeep ? "PRAGMA integrity_check(20)" : "PRAGMA quick_check(20)"
        let answer = Result { try database.rows(check, [], { $0.text(0) }) }
        switch answer {
        case .success(let lines):
            let faults = lines.filter { $0 != "ok" }
            return try faults.isEmpty ? missingParts() + foreignValues() : faults
        case .failure(let error as DatabaseError) where error.isDamaged: return [error.message]
        case .failure(let error): throw error
        }
    }

    func jobNames() throws -> [String] { try database.rows("SELECT name FROM jobs ORDER BY name") { $0.text(0) } }

    /// Bytes of all objects and bundles.
    func bytesToRead() throws -> Int64 {
        try database.first(
            """
            SELECT (SELECT coalesce(sum(bytes), 0) FROM objects)
                + (SELECT coalesce(sum(bytes), 0) FROM bundles WHERE published = 1 AND removed IS NULL)
            """
        ) { $0.integer(0) } ?? 0
    }

    func objects(beginningWith byte: UInt8) throws -> [StoredContent] {
        let end: Value = byte == 255 ? .blob([255] + [UInt8](repeating: 255, count: 32)) : .blob([byte + 1])
        return try database.rows(
            "SELECT sha256, bytes FROM objects WHERE sha256 >= ? AND sha256 < ?", [.blob([byte]), end]
        ) { StoredContent(sha256: $0.blob(0), bytes: $0.integer(1)) }
    }

    func uses(of content: StoredContent) throws -> ContentUses {
        let sha256: [Value] = [.blob(content.sha256)]
        var uses = ContentUses(
            jobs: try database.rows(
                """
                SELECT DISTINCT jobs.name FROM names JOIN resources AS known
                    ON known.job = names.job AND known.url = names.url AND known.sha256 = names.sha256
                JOIN jobs ON jobs.id = names.job WHERE names.sha256 = ? ORDER BY 1
                """, sha256
            ) { $0.text(0) },
            names: try database.rows(
                "SELECT jobs.name, names.name FROM names JOIN jobs ON jobs.id = names.job WHERE sha256 = ? ORDER BY 1, 2",
                sha256
            ) { (job: $0.text(0), name: $0.text(1)) })
        if uses.names.isEmpty {
            // A killed run may have left content without a name. No index helps, so this is asked last.
            uses.jobs = try database.rows(
                "SELECT DISTINCT name FROM jobs JOIN resources ON job = jobs.id WHERE sha256 = ? ORDER BY 1", sha256
            ) { $0.text(0) }
        }
        return uses
    }

    /// Content is no longer there. Names that no run can bring back go.
    /// - Returns: those names, `<job>/<name>`.
    func forget(_ content: StoredContent) throws -> [String] {
        let sha256: [Value] = [.blob(content.sha256)]
        let condition = """
            names.sha256 = ? AND NOT EXISTS (SELECT 1 FROM resources AS known WHERE known.job = names.job
                AND known.url = names.url AND known.sha256 = names.sha256)
            """
        return try database.transaction {
            let lost = try database.rows(
                "SELECT jobs.name || '/' || names.name FROM names JOIN jobs ON jobs.id = names.job WHERE \(condition)",
                sha256
            ) { $0.text(0) }
            try database.run("DELETE FROM names WHERE \(condition)", sha256)
            try database.run("DELETE FROM objects WHERE sha256 = ?", sha256)
            return lost
        }
    }

    /// A job's names after one, in their order.
    func names(of job: String, after name: String, limit: Int) throws -> [(name: String, content: StoredContent)] {
        try database.rows(
            "SELECT name, sha256, bytes FROM names WHERE job = ? AND name > ? ORDER BY name LIMIT ?",
            [.integer(try self.job(job)), .text(name), .integer(limit)]
        ) { (name: $0.text(0), content: StoredContent(sha256: $0.blob(1), bytes: $0.integer(2))) }
    }
}
