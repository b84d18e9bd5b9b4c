import Database
package import Files
import Glibc
import Lanes
package import Model

/// A file of an older mirror that is to be adopted.
package struct FoundFile: Sendable {
    /// Below the mirror's folder.
    package let path: String
    /// The normal form of the URL that it came from.
    package let key: String
    /// Its time as an HTTP date: what the server is asked by next time.
    package let lastModified: String
    /// Seconds since 1970.
    package let modified: Double

    package init(path: String, key: String, lastModified: String, modified: Double) {
        self.path = path
        self.key = key
        self.lastModified = lastModified
        self.modified = modified
    }
}

/// What became of a file that was to be adopted.
package enum Adopted: Sendable {
    case taken(bytes: Int64)
    /// The job knows the URL already.
    case known
    case failed(Failure)
}

extension Store {
    /// Copies files of an older mirror into the store, as content that the job has got from their URLs; the next run
    /// asks the servers whether it is still so, and gives names. The mirror is left as it is.
    /// - Returns: one word for each file, in order.
    package func adopt(_ found: [FoundFile], from mirror: Directory, job: String) async throws -> [Adopted] {
        let known = try await catalog.knowsContent(of: found.map(\.key), job: job)
        let partial = try await partial(of: job)
        var words = [Adopted](repeating: .known, count: found.count)
        var arrivals: [(index: Int, arrival: Arrival)] = []
        for (index, file) in found.enumerated() where !known[index] {
            do {
                let part = try await disk.run {
                    try copy(file, from: mirror, to: partial, "adopt-\(getpid())-\(index)")
                }
                arrivals.append((index, Arrival(part: part, modified: file.modified)))
            } catch {
                words[index] = .failed(Self.failure(error))
            }
        }
        let settlements = await settle(arrivals.map(\.arrival), from: partial)
        var records: [(FoundFile, StoredContent)] = []
        for ((index, arrival), settlement) in zip(arrivals, settlements) {
            if case .failed(let failure) = settlement {
                words[index] = .failed(failure)
            } else {
                words[index] = .taken(bytes: arrival.part.bytes)
                records.append((found[index], arrival.content))
            }
        }
        try await catalog.recordAdopted(records, job: job)
        return words
    }
}

private func copy(
    _ file: FoundFile, from mirror: Directory, to partial: Directory, _ name: String
) throws -> PartFile {
    let (path, last) = Placer.split(file.path)
    let source = try (path.isEmpty ? mirror : mirror.directory(path)).open(last)
    guard try source.status().isRegular else { throw Failure(.io, "\(source.path) is no regular file") }
    try partial.remove(name)
    do {
        let target = try partial.create(name)
        try source.copyContent(to: target)
        // Hashed as it was written, so that what the store holds is what its name says.
        let sha256 = try digest(of: partial.open(name))
        return PartFile(name: name, bytes: try target.status().bytes, sha256: sha256, prefix: [])
    } catch {
        try? partial.remove(name)
        throw error
    }
}

extension Catalog {
    func knowsContent(of keys: [String], job: String) throws -> [Bool] {
        let id = try self.job(job)
        return try keys.map { key in
            try database.first(
                "SELECT 1 FROM resources JOIN urls ON urls.id = resources.url WHERE resources.job = ? AND urls.url = ?",
                [.integer(id), .text(key)], { _ in true }) ?? false
        }
    }

    /// No run brought them: their first and last run is 0.
    func recordAdopted(_ records: [(FoundFile, StoredContent)], job: String) throws {
        let id = try self.job(job)
        try database.transaction {
            for (file, content) in records {
                try database.run(
                    "INSERT INTO objects(sha256, bytes, stored) VALUES(?, ?, ?) ON CONFLICT DO NOTHING",
                    [.blob(content.sha256), .integer(content.bytes), .real(file.modified)])
                try database.run(
                    """
                    INSERT INTO resources(job, url, last_modified, sha256, bytes, first_run, last_run)
                    VALUES(?, ?, ?, ?, ?, 0, 0) ON CONFLICT DO NOTHING
                    """,
                    [
                        .integer(id), .integer(try url(file.key)), .text(file.lastModified), .blob(content.sha256),
                        .integer(content.bytes),
                    ])
            }
        }
    }
}
