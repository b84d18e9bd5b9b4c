import Database
import Digests
import Files
import Lanes
import Model

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
    /// and with it the names that are links to it; where no file has the content, also what else stands under its names.
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
                try shelf.setAside(object.file, in: aside, as: object.file, ".damaged")
            }
            var isMended = false
            var others: [(job: String, name: String, folder: Directory, file: String)] = []
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
                } else if !isMended {
                    others.append((job, name, folder, file))
                }
            }
            for other in isMended ? [] : others {
                let aside = try root.directory("quarantine/\(other.job)", create: true)
                try other.folder.open(other.file).setModified(seconds)
                try other.folder.setAside(other.file, in: aside, as: asideName(other.name, at: seconds), ".damaged")
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
        let bytes = try database.first(
            """
            SELECT (SELECT total(bytes) FROM objects)
                + (SELECT total(bytes) FROM bundles WHERE published = 1 AND removed IS NULL)
            """
        ) { $0.real(0) }
        return Int64(exactly: (bytes ?? 0).rounded()) ?? .max
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

    /// Content is no longer there. Its names stay, so that what is lost is told until it is back or somebody lets it go.
    func forget(_ content: StoredContent) throws {
        try database.run("DELETE FROM objects WHERE sha256 = ?", [.blob(content.sha256)])
    }

    /// Records those of the contents that are there and that a name needs.
    /// - Returns: how many.
    func recordNeeded(_ contents: [StoredContent], at seconds: Double) throws -> Int {
        let needed = try contents.filter { content in
            try database.first("SELECT 1 FROM names WHERE sha256 = ?", [.blob(content.sha256)], { _ in true }) ?? false
        }
        try record(objects: needed.map { ($0, seconds) })
        return needed.count
    }

    /// A job's names after one, in their order.
    func names(of job: String, after name: String, limit: Int) throws -> [(name: String, content: StoredContent)] {
        try database.rows(
            """
            SELECT name, sha256, bytes FROM names WHERE job = ? AND name > ? AND typeof(name) = 'text'
            ORDER BY name LIMIT ?
            """,
            [.integer(try self.job(job)), .text(name), .integer(limit)]
        ) { (name: $0.text(0), content: StoredContent(sha256: $0.blob(1), bytes: $0.integer(2))) }
    }
}
