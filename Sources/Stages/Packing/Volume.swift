import Archives
import Digests
import Files
import Lanes
import Model
import Times

/// A volume that grows: entries go in, while other threads already read the archive back and hold it
/// against what the catalog says of them. Nothing of it can be seen until it is published; when it is let go
/// before, nothing is left. Blocks; lives on a lane.
final class Volume {
    private let setting: PackSetting
    private let rules: PackRules
    private let place: VolumePlace
    private let file: SharedDraft
    private let archive: ArchiveWriter
    private let log: EntryLog
    private let manifest: BundleManifest
    private let readBack: ReadBack?
    private let chunk: Chunk
    private var meter: VolumeMeter
    private var payload: Int64 = 0
    private(set) var newest = Int64.min

    var count: Int { log.count }

    init(_ setting: PackSetting, at place: VolumePlace, chunk: Chunk) throws {
        self.setting = setting
        self.place = place
        self.chunk = chunk
        rules = setting.rules
        meter = VolumeMeter(rules)
        file = try SharedDraft(setting.name, in: setting.target)
        log = try EntryLog(in: setting.target, for: setting.name)
        manifest = try BundleManifest(in: setting.target, for: setting.name, job: setting.job, pack: rules.id)
        let readBack =
            setting.isProven
            ? ReadBack(file, log, rules.format, prefix: place.prefix, passphrase: setting.secrets.passphrase) : nil
        self.readBack = readBack
        let flusher = Flusher(file)
        archive = try ArchiveWriter(
            descriptor: file.number, options: rules.options(passphrase: setting.secrets.passphrase)
        ) { block in
            readBack?.grew(by: block.count)
            flusher.wrote(block.count)
        }
        readBack?.start(on: setting.checkLanes)
    }

    deinit { readBack?.abandon() }

    /// Whether the bound allows the item too; an empty volume takes whatever comes.
    func hasRoom(for item: PackItem, links: Bool) throws -> Bool {
        guard let bound = rules.split, count > 0 else { return true }
        let isLink = links && item.bytes > 0 ? try log.first(of: item.sha256) != nil : false
        let line = BundleManifest.line(item).count
        return meter.size(adding: item, manifestLine: line, isLink: isLink, written: archive.bytes) <= bound
    }

    func add(_ item: PackItem, _ plan: inout PackPlan) throws {
        let twin = plan.linksDuplicates ? try log.first(of: item.sha256) : nil
        let path = place.path(of: item.name)
        if rules.bag != nil, BagTags.isAmbiguous(path) {
            throw Failure(
                .io,
                "\"\(item.name)\" holds %0A or %0D, which a bag's manifest would take for a line end; leave it out "
                    + "with pack.exclude")
        }
        let line = BundleManifest.line(item)
        var digests = item.sha256
        switch try plan.entry(for: item, twin: twin?.name) {
        case .hardLink(let target, let modified):
            try archive.addHardLink(place.prefix + path, to: place.prefix + target, modified: modified)
            digests = twin?.digest ?? digests
            meter.add(item, manifestLine: line.count, isLink: true)
        case .file(let modified):
            digests += try addContent(of: item, at: place.prefix + path, modified: modified)
            meter.add(item, manifestLine: line.count, isLink: false)
        }
        payload += item.bytes
        newest = max(newest, item.modified)
        try manifest.append(line)
        try log.append(ChecksumLine(digest: digests, name: path))
        setting.progress.advance(by: item.bytes)
    }

    /// - Returns: the SHA-512, for a bag.
    private func addContent(of item: PackItem, at path: String, modified: Int64) throws -> [UInt8] {
        let object = try setting.source.open(item.object)
        let status = try object.status()
        guard status.isRegular else { throw Failure(.io, "\(object.path) is no regular file and is not packed") }
        guard status.bytes == item.bytes else { throw changed(item, object.path) }
        // Reading back holds the content against its SHA-256.
        var hash = try rules.bag == nil ? nil : MessageDigest(.sha512)
        var left = item.bytes
        var count = try object.read(into: chunk.memory)
        let isStored =
            rules.format == .zip && CompressedContent.isCompressed(name: item.name, prefix: chunk.prefix(count))
        try archive.beginFile(path, bytes: item.bytes, modified: modified, stored: isStored)
        while left > 0 {
            try checkCancellation()
            guard count > 0, Int64(count) <= left else { throw changed(item, object.path) }
            try hash?.update(chunk.prefix(count))
            try archive.write(chunk.prefix(count))
            setting.progress.tick(item.bytes - left)
            left -= Int64(count)
            if left > 0 { count = try object.read(into: chunk.memory) }
        }
        try archive.endFile()
        return try hash?.current() ?? []
    }

    private func changed(_ item: PackItem, _ path: String) -> Failure {
        Failure(
            .checksum,
            "\(path), the content of \"\(item.name)\", changed while it was packed or is damaged; run nightjar verify")
    }

    /// Ends the archive, read back, and encrypted where that is asked for.
    func finish(
        _ plan: inout PackPlan, modified: Int64?, isolation: isolated (any Actor)? = #isolation
    ) async throws -> FinishedVolume {
        let time = plan.time(modified ?? newest)
        let tags = try tags(&plan, newest: modified ?? newest)
        for tag in tags {
            let digests = try add(tag, modified: time)
            log.append(tag: ChecksumLine(digest: digests, name: tag.name))
        }
        var bytes = try archive.finish()
        log.close()
        var sha256 = try await readBack?.finish() ?? []
        var sealed = file
        if !rules.recipients.isEmpty {
            (sealed, bytes, sha256) = try setting.seal(file)
        }
        return FinishedVolume(
            place: place, file: sealed, log: log, entries: log.count + tags.count, bytes: bytes, sha256: sha256)
    }

    /// What stands behind the content, in its order.
    private func tags(_ plan: inout PackPlan, newest: Int64) throws -> [Tag] {
        try manifest.end()
        let isBag = rules.bag != nil
        let manifestTag = Tag(plan.tagName("MANIFEST", ".json", isBag: isBag), manifest.copy)
        let sums = Tag(plan.tagName("SHA256SUMS", isBag: isBag), log.sums(isBag: isBag))
        guard let bag = rules.bag else { return [manifestTag, sums] }
        let date = String(RFC3339.format(Double(newest)).prefix(10))
        let group = place.count > 1 ? (id: "\(setting.job)-\(rules.id)", number: place.number, count: place.count) : nil
        let info = BagTags.info(bag.info, payload: (payload, log.count), newest: date, group: group)
        return [
            manifestTag, Tag("bag-info.txt", content: info), Tag("bagit.txt", content: BagTags.declaration),
            Tag("manifest-sha256.txt", log.lines(tags: nil) { BagTags.line($0.sha256, path: $0.name) }),
            Tag("manifest-sha512.txt", log.lines(tags: nil) { BagTags.line($0.sha512, path: $0.name) }), sums,
            Tag(
                "tagmanifest-sha256.txt",
                log.lines(content: false, tags: 6) { BagTags.line($0.sha256, path: $0.name) }),
            Tag(
                "tagmanifest-sha512.txt",
                log.lines(content: false, tags: 6) { BagTags.line($0.sha512, path: $0.name) }),
        ]
    }

    /// - Returns: the SHA-256 with the SHA-512 behind it.
    private func add(_ tag: Tag, modified: Int64) throws -> [UInt8] {
        var bytes: Int64 = 0
        try tag.write { bytes += Int64($0.count) }
        try archive.beginFile(place.prefix + tag.name, bytes: bytes, modified: modified)
        var short = try SHA256()
        var long = try MessageDigest(.sha512)
        try tag.write { piece in
            try checkCancellation()
            try short.update(piece)
            try long.update(piece)
            try archive.write(piece)
        }
        try archive.endFile()
        return try short.finish() + long.current()
    }
}

/// Sends what was written on to the disk, many blocks at a time.
private final class Flusher {
    private let file: SharedDraft
    private var sent: Int64 = 0
    private var pending: Int64 = 0

    init(_ file: SharedDraft) { self.file = file }

    func wrote(_ bytes: Int) {
        pending += Int64(bytes)
        guard pending >= 16 << 20 else { return }
        file.startWriting(from: sent, count: pending)
        sent += pending
        pending = 0
    }
}
