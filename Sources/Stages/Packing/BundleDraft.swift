import Archives
import Digests
import Files
import Model

/// A bundle that grows: entries go in, each hashed on its way and held against what the catalog says of it. Nothing
/// of it can be seen until it is published; when it is let go before, nothing is left. Blocks; lives on a lane.
final class BundleDraft {
    private let source: Directory
    private let target: Directory
    private let rules: PackRules
    private let name: String
    private let file: DraftFile
    private let digest: RunningDigest
    private let archive: ArchiveWriter
    private let sums: ChecksumList
    private let chunk = Chunk()
    private var plan: PackPlan

    /// - Parameters:
    ///   - source: what the items' objects lie below.
    ///   - target: the folder of the job's bundles.
    init(_ name: String, rules: PackRules, source: Directory, target: Directory) throws {
        self.name = name
        self.rules = rules
        self.source = source
        self.target = target
        plan = PackPlan(format: rules.format)
        file = try DraftFile(name, in: target)
        sums = try ChecksumList(in: target, for: name)
        let digest = try RunningDigest()
        archive = try ArchiveWriter(
            descriptor: file.descriptor.number,
            options: rules.format.options(level: rules.level, threads: rules.threads), observe: digest.update)
        self.digest = digest
    }

    func add(_ item: PackItem) throws {
        let twin = plan.linksDuplicates ? try sums.firstName(of: item.sha256) : nil
        switch try plan.entry(for: item, twin: twin) {
        case .hardLink(let target, let modified):
            try archive.addHardLink(item.name, to: target, modified: modified)
        case .file(let modified):
            try addContent(of: item, modified: modified)
        }
        try sums.append(ChecksumLine(sha256: item.sha256, name: item.name))
    }

    private func addContent(of item: PackItem, modified: Int64) throws {
        let object = try source.open(item.object)
        let status = try object.status()
        guard status.isRegular else { throw Failure(.io, "\(object.path) is no regular file and is not packed") }
        guard status.bytes == item.bytes else { throw changed(item, object.path) }
        var hash = try SHA256()
        var left = item.bytes
        var count = try object.read(into: chunk.memory)
        let isStored =
            rules.format == .zip && CompressedContent.isCompressed(name: item.name, prefix: chunk.prefix(count))
        try archive.beginFile(item.name, bytes: item.bytes, modified: modified, stored: isStored)
        while left > 0 {
            try checkCancellation()
            guard count > 0, Int64(count) <= left else { throw changed(item, object.path) }
            try hash.update(chunk.prefix(count))
            try archive.write(chunk.prefix(count))
            left -= Int64(count)
            if left > 0 { count = try object.read(into: chunk.memory) }
        }
        try archive.endFile()
        guard try hash.finish() == item.sha256 else { throw changed(item, object.path) }
    }

    private func changed(_ item: PackItem, _ path: String) -> Failure {
        Failure(
            .checksum,
            "\(path), the content of \"\(item.name)\", changed while it was packed or is damaged; run nightjar verify")
    }

    /// Ends the archive, reads it back, and gives it its name, or `-2`, `-3` and so on before the extension when that
    /// is taken.
    /// - Parameters:
    ///   - folder: the target below the root, for the record.
    ///   - modified: the time of the list of digests, in seconds since 1970.
    ///   - announce: hears of the bundle before it appears; again when that name was taken meanwhile.
    func publish(
        folder: String, modified: Int64, readsBack: Bool, isolation: isolated (any Actor)? = #isolation,
        announce: Packer.Announcement
    ) async throws -> PackedBundle {
        let items = sums.count
        let (bytes, sha256) = try finish(modified: modified, readsBack: readsBack)
        for number in 1...Self.mostNames {
            let candidate = numbered(name, number, extension: rules.format.rawValue)
            guard try target.status(candidate) == nil else { continue }
            let record = BundleRecord(
                path: "\(folder)/\(candidate)", format: rules.format, entries: items + 1, bytes: bytes,
                sha256: hex(sha256))
            try await announce(record)
            if try file.take(candidate, sha256: sha256, in: target) {
                return PackedBundle(record: record, items: items, warnings: plan.warnings)
            }
        }
        throw Failure(.io, "\(target.below(name)) and \(Self.mostNames) names like it are taken; tidy up the folder")
    }

    private static var mostNames: Int { 9999 }

    /// Ends the archive, durable and read back.
    private func finish(modified: Int64, readsBack: Bool) throws -> (bytes: Int64, sha256: [UInt8]) {
        let sumsName = plan.sumsName()
        let sumsDigest = try addSums(sumsName, modified: modified)
        let bytes = try archive.finish()
        let sha256 = try digest.finish()
        if readsBack {
            let check = BundleCheck(sums: sums, sumsName: sumsName, sumsDigest: sumsDigest, chunk: chunk)
            try check.run(on: file.descriptor)
        }
        try file.descriptor.synchronize()
        return (bytes, sha256)
    }

    private func addSums(_ sumsName: String, modified: Int64) throws -> [UInt8] {
        let time = rules.format == .zip ? ZipTime.clamped(modified) : modified
        try archive.beginFile(sumsName, bytes: sums.bytes, modified: time)
        var hash = try SHA256()
        var offset: Int64 = 0
        while offset < sums.bytes {
            try checkCancellation()
            let count = try sums.read(at: offset, into: chunk.memory)
            guard count > 0 else { throw Failure(.io, "the list of digests was cut short while \(name) was packed") }
            try hash.update(chunk.prefix(count))
            try archive.write(chunk.prefix(count))
            offset += Int64(count)
        }
        try archive.endFile()
        return try hash.finish()
    }
}

/// Called between chunks: C code and system calls do not stop by themselves when their task is cancelled.
func checkCancellation() throws(Failure) {
    if Task.isCancelled { throw Failure(.cancelled, "packing was stopped; nothing was written") }
}
