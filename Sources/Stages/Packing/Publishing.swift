import Digests
import Files
import JSON
import Model

/// Gives the volumes of a bundle their names, all or none.
struct Publication {
    private let volumes: [FinishedVolume]
    private let signatures: [Signature?]
    private let setting: PackSetting
    private let folder: String
    private var target: Directory { setting.target }

    init(_ volumes: [FinishedVolume], _ signatures: [Signature?], _ setting: PackSetting, folder: String) {
        self.volumes = volumes
        self.signatures = signatures
        self.setting = setting
        self.folder = folder
    }

    /// The bundles under the names that a number gives them; 1 is as the rules have it.
    func bundles(_ number: Int) -> [WrittenBundle] {
        let end = setting.rules.format.rawValue
        let name = numbered(setting.name, number, extension: end)
        let seal = setting.rules.recipients.isEmpty ? "" : ".gpg"
        return zip(volumes, signatures).map { volume, signature in
            let isOne = volumes.count == 1
            let own = (isOne ? name : inserting(".vol\(padded(volume.place.number))", into: name, before: end)) + seal
            var companions = ["\(own).sha256"]
            if let signature { companions.append(own + signature.extension) }
            if !isOne, volume.place.number == volumes.count { companions.append(indexName(name)) }
            let record = BundleRecord(
                path: "\(folder)/\(own)", format: setting.rules.format, entries: volume.entries, bytes: volume.bytes,
                sha256: hex(volume.sha256))
            return WrittenBundle(record: record, companions: companions)
        }
    }

    func isFree(_ bundles: [WrittenBundle]) throws -> Bool {
        try bundles.allSatisfy { bundle in
            try ([bundle.name] + bundle.companions).allSatisfy { try target.status($0) == nil }
        }
    }

    /// Gives the names. What stands beside a bundle is durable before it appears, so that no bundle is ever there that
    /// cannot be verified.
    /// - Returns: false when a name was taken meanwhile; whatever has it stays, and nothing of ours is left.
    func appear(_ bundles: [WrittenBundle]) throws -> Bool {
        var given: [String] = []
        do {
            for (index, bundle) in bundles.enumerated() {
                let volume = volumes[index]
                given.append("\(bundle.name).sha256")
                try target.replace(
                    "\(bundle.name).sha256", with: ChecksumLine(digest: volume.sha256, name: bundle.name).bytes)
                guard let signature = signatures[index] else { continue }
                given.append(bundle.name + signature.extension)
                try target.replace(bundle.name + signature.extension, with: signature.bytes)
            }
            if bundles.count > 1, let index = bundles.last?.companions.last {
                given.append(index)
                try target.replace(index, with: self.index(bundles))
            }
            for (volume, bundle) in zip(volumes, bundles) {
                try volume.file.link(as: bundle.name)
                given.append(bundle.name)
            }
            try target.synchronize()
            return true
        } catch {
            for name in given.reversed() { try? target.remove(name) }
            if error.alreadyExists { return false }
            throw error
        }
    }

    private func indexName(_ name: String) -> String {
        let end = ".\(setting.rules.format.rawValue)"
        return "\(name.hasSuffix(end) ? String(name.dropLast(end.count)) : name).index.json"
    }

    /// Which volumes there are and what to expect of each.
    private func index(_ bundles: [WrittenBundle]) -> [UInt8] {
        var json = Array("{\"schema\":\"nightjar.bundle-index/1\",\"job\":".utf8)
        json += jsonString(setting.job)
        json += ",\"pack\":".utf8
        json += jsonString(setting.rules.id)
        json += ",\"volumes\":[".utf8
        for (number, bundle) in bundles.enumerated() {
            json += "\(number == 0 ? "" : ",")\n{\"number\":\(number + 1),\"name\":".utf8
            json += jsonString(bundle.name)
            json += ",\"bytes\":\(bundle.record.bytes),\"sha256\":\"\(bundle.record.sha256)\"".utf8
            json += ",\"entries\":\(bundle.record.entries),\"files\":\(volumes[number].log.count)}".utf8
        }
        json += "\n]}\n".utf8
        return json
    }
}

/// `name`, or for a number from 2 on the name with `-<number>` before its extension.
func numbered(_ name: String, _ number: Int, extension: String) -> String {
    number > 1 ? inserting("-\(number)", into: name, before: `extension`) : name
}

/// A name with something put before its extension, or at its end when it has not that one.
func inserting(_ text: String, into name: String, before extension: String) -> String {
    let end = ".\(`extension`)"
    guard name.hasSuffix(end), name.utf8.count > end.utf8.count else { return name + text }
    return "\(name.dropLast(end.count))\(text)\(end)"
}

extension PackPlan {
    /// Says when a volume is larger than the bound, which only one file alone can make it.
    mutating func check(sizeOf volume: FinishedVolume, _ rules: PackRules) {
        guard let bound = rules.split, volume.bytes > bound else { return }
        let number = volume.place.number
        warn(
            "split-oversized-\(number)",
            "volume \(number) has \(volume.bytes) bytes, over the bound of \(bound): one file alone is larger than that"
        )
    }
}
