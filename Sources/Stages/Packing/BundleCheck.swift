import Archives
import Digests
import Files
import Model

/// Holds an archive, read as a stranger would, entry by entry against the log of what was put in.
struct BundleCheck: Sendable {
    let log: EntryLog
    /// What stands before every entry.
    let prefix: String
    /// 7z lists files without content after all others.
    var isEmptyLast = false

    /// Compares names, kinds and contents; may run while the archive and the log still grow.
    /// - Throws: when an entry is missing, too many, elsewhere or other than it was, or the archive cannot be read.
    func run(_ archive: ArchiveReader) throws {
        var expected = ExpectedEntries(log, isEmptyLast: isEmptyLast)
        while let entry = try archive.next() {
            let digest = entry.kind == .file ? try digest(of: archive) : []
            try compare(entry, digest, try expected.next())
        }
        if let line = try expected.next() { throw unlike("\"\(line.name)\" and what comes after it are missing") }
    }

    /// Compares names alone, for an archive with a directory of its own that nothing else has looked at.
    func names(_ archive: ArchiveReader) throws {
        var expected = ExpectedEntries(log, isEmptyLast: isEmptyLast)
        while let entry = try archive.next() { try compare(entry, try expected.next()) }
        if let line = try expected.next() { throw unlike("\"\(line.name)\" is missing in its directory") }
    }

    private func compare(_ entry: ArchiveEntry, _ digest: [UInt8], _ line: ChecksumLine?) throws {
        let line = try compare(entry, line)
        switch entry.kind {
        case .hardLink(let target):
            guard let first = try log.first(of: Array(line.sha256)), prefix + first.name == target else {
                throw unlike("\"\(line.name)\" is a second name of \"\(target)\", which is other content")
            }
        case .file:
            guard line.sha256.elementsEqual(digest) else { throw changed(line) }
        case .directory, .other:
            throw unlike("\"\(line.name)\" is no file")
        }
    }

    @discardableResult
    private func compare(_ entry: ArchiveEntry, _ line: ChecksumLine?) throws -> ChecksumLine {
        try checkCancellation()
        guard let line else { throw unlike("it has an entry \"\(entry.name)\" that was not put in") }
        // By String's own canonical equality, since libarchive composes the names that it reads.
        guard entry.name == prefix + line.name else {
            throw unlike("\"\(entry.name)\" stands where \"\(prefix + line.name)\" was put")
        }
        return line
    }

    private func digest(of archive: ArchiveReader) throws -> [UInt8] {
        var hash = try SHA256()
        while true {
            let piece = try archive.read()
            if piece.isEmpty { return try hash.finish() }
            try checkCancellation()
            try hash.update(piece)
        }
    }

    /// Content goes in as it lies on the disk, and is held against the catalog's digest here for the first time.
    private func changed(_ line: ChecksumLine) -> Failure {
        Failure(
            .checksum,
            "the content of \"\(line.name)\", as it was read back, is not what the catalog has: it changed while it was "
                + "packed, or is damaged on the disk; run nightjar verify")
    }

    private func unlike(_ what: String) -> Failure {
        Failure(.damaged, "the bundle was read back and is not what was packed: \(what); it was thrown away")
    }
}

/// What an archive must hold, in order, each as soon as it is known.
private struct ExpectedEntries {
    private static let empty = try? SHA256.digest(of: [])

    private let log: EntryLog
    private let isEmptyLast: Bool
    private var lines: EntryLines
    private var count = 0
    private var tags = 0
    /// True while those without content have their turn.
    private var isSecondRound = false

    init(_ log: EntryLog, isEmptyLast: Bool) {
        self.log = log
        self.isEmptyLast = isEmptyLast
        lines = EntryLines(log)
    }

    /// Nil after the last.
    mutating func next() throws -> ChecksumLine? {
        guard isEmptyLast else { return try following() }
        while true {
            if let line = try following() {
                let isEmpty = Self.empty.map { line.sha256.elementsEqual($0) } ?? false
                if isEmpty == isSecondRound { return line }
            } else if isSecondRound {
                return nil
            } else {
                self = ExpectedEntries(log, isEmptyLast: true)
                isSecondRound = true
            }
        }
    }

    private mutating func following() throws -> ChecksumLine? {
        guard log.waits(for: count) else { return nil }
        count += 1
        if let line = try lines.next() { return line }
        tags += 1
        return log.tag(tags - 1)
    }
}
