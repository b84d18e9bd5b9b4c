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
    var cookies = CookieDraft()
    /// The entry of `pack` that is being read.
    var pack = PackDraft()
    var packs: [PackDraft] = []
    /// The entry of `notify` that is being read.
    var notice = NoticeDraft()
    var metrics: Placed<String>?
    /// The entry of `handoff` that is being read.
    var handoff = HandoffDraft()
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
    var include: [String] = []
    var exclude: [String] = []
    var isBag = false
    var bagInfo: Placed<[BagField]>?
    var split: Int64?
    var passphrase: Placed<Secret>?
    var recipients: [String] = []
    var gpgKey: String?
    var minisignKey: Placed<String>?
    var signPassphrase: Placed<Secret>?
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
        rules.include = pack.include
        rules.exclude = pack.exclude
        rules.split = pack.split
        rules.passphrase = pack.passphrase?.value
        rules.recipients = pack.recipients
        rules.bag = bag(pack)
        rules.sign = signature(pack)
        draft.pack.rules = rules
        if let level = pack.level { check(level, for: format) }
        check(pack.passphrase, for: format)
    }

    private mutating func bag(_ pack: PackDraft) -> BagRules? {
        guard pack.isBag else {
            if let info = pack.bagInfo {
                within("bag-info") { $0.error(info.position, "this is no bag; add 'bagit: true' or remove the fields") }
            }
            return nil
        }
        var bag = BagRules()
        bag.info = pack.bagInfo?.value.map { ($0.label, $0.value) } ?? []
        return bag
    }

    private mutating func signature(_ pack: PackDraft) -> SignRules? {
        let passphrase = pack.signPassphrase?.value
        switch (pack.gpgKey, pack.minisignKey) {
        case (let key?, nil): return SignRules(key: .gpg(key), passphrase: passphrase)
        case (nil, let path?): return SignRules(key: .minisign(path.value), passphrase: passphrase)
        case (.some, let path?):
            within("sign") { $0.error(path.position, "name one of gpg and minisign, not both") }
        case (nil, nil):
            if let passphrase = pack.signPassphrase {
                within("sign") { $0.error(passphrase.position, "name the key too: gpg or minisign") }
            }
        }
        return nil
    }

    private mutating func check(_ passphrase: Placed<Secret>?, for format: BundleFormat) {
        guard let passphrase, format != .zip else { return }
        within("passphrase") { reading in
            reading.error(
                passphrase.position,
                "\(format.rawValue) cannot be encrypted with a passphrase, only zip can; use 'recipients'")
        }
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
            if let fault = fault(ofName: bundleName(rules)) {
                note(pack.name?.position ?? pack.position, "pack[\(index + 1)].name: \(fault)")
            }
            if let other = names.updateValue(index, forKey: bundleName(rules)) {
                note(
                    pack.name?.position ?? pack.position,
                    "pack[\(index + 1)].name: pack \(other + 1) writes the same bundle name; give one of them another, "
                        + "such as \"{job}-{pack}-{date:yyyyMMdd}.{ext}\"")
            }
        }
    }

    /// Why a bundle cannot be called that; volumes, checksums and signatures add to the name.
    private func fault(ofName name: String) -> String? {
        if name.hasPrefix(".") { return "a bundle's name may not begin with a dot: what is under way does" }
        if name.utf8.count > 200 { return "more than 200 bytes leave no room for numbers, checksums and signatures" }
        return nil
    }

    private mutating func check(_ level: Placed<Int>, for format: BundleFormat) {
        let range: ClosedRange<Int>? =
            switch format {
            case .tar: nil
            case .tarZstd: 1...22
            case .tarGzip, .tarXz, .zip, .sevenZip: 0...9
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
        for start in draft.start
        where start.value.source.lowercased().hasPrefix("sftp:") && draft.job.fetch.knownHosts == nil {
            within("start") { reading in
                reading.error(
                    start.position,
                    "sftp needs fetch.ssh.known-hosts, a file with the server's key as ssh-keyscan writes it"
                )
            }
        }
        finishCookies()
        guard draft.allowHTTP?.value == false else { return }
        for start in draft.start where start.value.source.lowercased().hasPrefix("http:") {
            within("start") { reading in
                reading.error(
                    start.position, "this is plain http, which 'fetch.allow-http: false' refuses; write https://")
            }
        }
    }
}
