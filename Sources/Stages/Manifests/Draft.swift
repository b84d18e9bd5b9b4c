import Model
import Templates
import YAML

/// A job that is being read, with what checks of several keys together need.
struct Draft: Sendable {
    var job: Job
    /// The folder that relative paths in the manifest start from; empty for the working directory.
    let folder: String
    var name: Placed<String>?
    var needs: [Placed<String>] = []
    var start: [Placed<Template>] = []
    var allowHTTP: Placed<Bool>?
    var headers: [HeaderDraft] = []
    /// The entry of `pack` that is being read.
    var pack = PackDraft()
    var packs: [PackDraft] = []
    /// The entry of `notify` that is being read.
    var notice = NoticeDraft()
    var metrics: Placed<String>?
    /// The entry of `name.types` that is being read.
    var type = TypeDraft()

    init(job: Job, folder: String) {
        self.job = job
        self.folder = folder
    }
}

struct PackDraft: Sendable {
    var position = SourcePosition.start
    var format: BundleFormat?
    var contents = BundleContents.new
    var name: Placed<Template>?
    var id: Placed<String>?
    var level: Placed<Int>?
    var threads: Placed<Int>?
    /// Filled in when the entry has been read.
    var rules: PackRules?
}

struct TypeDraft: Sendable {
    var match: String?
    var `extension`: String?
}

extension ManifestReading {
    /// Adds a row to the user's own table of types, if both columns could be read.
    mutating func endType() {
        guard let match = draft.type.match, let suffix = draft.type.extension else { return }
        draft.job.naming.types.append((match: match, extension: suffix))
    }

    /// Checks an entry of `pack` by itself.
    mutating func endPack(_ index: Int) {
        defer { draft.packs.append(draft.pack) }
        guard let format = draft.pack.format else { return }
        let pack = draft.pack
        var rules = PackRules(id: pack.id?.value ?? "\(index + 1)-\(format.rawValue)", format: format)
        rules.contents = pack.contents
        if let name = pack.name { rules.name = name.value }
        rules.threads = pack.threads?.value ?? rules.threads
        rules.level = pack.level?.value
        draft.pack.rules = rules
        if let level = pack.level { check(level, for: format) }
    }

    /// No two packs may have one id, which the ledger knows them by, or write one bundle.
    private mutating func comparePacks() {
        var ids: [String: Int] = [:]
        var names: [String: Int] = [:]
        for (index, pack) in draft.packs.enumerated() {
            guard let rules = pack.rules else { continue }
            if let other = ids.updateValue(index, forKey: rules.id) {
                // A default id cannot be wrong: the one that was given is.
                let given = pack.id ?? draft.packs[other].id
                note(
                    given?.position ?? pack.position,
                    "pack[\(index + 1)].id: pack \(other + 1) has the id '\(rules.id)' too; the ledger could not tell "
                        + "them apart")
            }
            if let other = names.updateValue(index, forKey: bundleName(rules)) {
                note(
                    pack.name?.position ?? pack.position,
                    "pack[\(index + 1)].name: pack \(other + 1) writes the same bundle name; give one of them another, "
                        + "such as \"{job}-{pack}-{date:yyyyMMdd}.{ext}\"")
            }
        }
    }

    private mutating func check(_ level: Placed<Int>, for format: BundleFormat) {
        let range: ClosedRange<Int>? =
            switch format {
            case .tar: nil
            case .tarZstd: 1...22
            case .tarGzip, .tarXz, .zip: 0...9
            }
        within("level") { reading in
            guard let range else {
                return reading.error(level.position, "tar does not compress; remove the level")
            }
            if !range.contains(level.value) {
                reading.error(
                    level.position,
                    "\(format.rawValue) takes levels from \(range.lowerBound) to \(range.upperBound), found "
                        + "'\(level.value)'")
            }
        }
    }

    /// A bundle's name as far as the manifest decides it, without the case that some file systems ignore.
    private func bundleName(_ pack: PackRules) -> String {
        pack.name.render { field, argument in
            switch field {
            case "job": draft.name?.value ?? ""
            case "pack": pack.id
            case "ext": pack.format.rawValue
            default: "{\(field):\(argument ?? "")}"
            }
        }.lowercased()
    }

    /// Takes over what was kept aside, after checks that need the whole manifest.
    mutating func finish() {
        draft.job.name = draft.name?.value ?? ""
        draft.job.needs = draft.needs.map(\.value)
        draft.job.metrics = draft.metrics?.value
        draft.job.start = draft.start.map(\.value)
        draft.job.packs = draft.packs.compactMap(\.rules)
        draft.job.fetch.headers = draft.headers.map { (name: $0.name, value: $0.value) }
        draft.job.fetch.allowHTTP = draft.allowHTTP?.value ?? draft.job.fetch.allowHTTP
        comparePacks()
        guard draft.allowHTTP?.value == false else { return }
        for start in draft.start where start.value.source.lowercased().hasPrefix("http:") {
            within("start") { reading in
                reading.error(
                    start.position, "this is plain http, which 'fetch.allow-http: false' refuses; write https://")
            }
        }
    }
}
