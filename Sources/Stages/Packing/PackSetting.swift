import Files
import Lanes
import Model
import Synchronization

/// Secrets of a pack, filled in; they go to the library or through a pipe, never into arguments.
package struct PackSecrets: Sendable {
    /// Encrypts a zip.
    package var passphrase: String?
    /// Unlocks the key that signs.
    package var signing: String?
    /// For gpg and minisign: where their keys and the programs are (`HOME`, `GNUPGHOME`, `PATH`).
    package var environment: [String: String]

    package init(passphrase: String? = nil, signing: String? = nil, environment: [String: String] = [:]) {
        self.passphrase = passphrase
        self.signing = signing
        self.environment = environment
    }
}

/// How far a pack is, for whoever looks from outside.
package final class PackProgress: Sendable {
    private let whole = Atomic<Int64>(0)
    private let part = Atomic<Int64>(0)

    package init() {}

    /// Bytes of content that went in.
    package var bytes: Int64 { whole.load(ordering: .relaxed) + part.load(ordering: .relaxed) }

    /// A file of that size is in.
    func advance(by bytes: Int64) {
        part.store(0, ordering: .relaxed)
        whole.add(bytes, ordering: .relaxed)
    }

    /// That much of the file under way is in.
    func tick(_ bytes: Int64) { part.store(bytes, ordering: .relaxed) }

    func restart() {
        whole.store(0, ordering: .relaxed)
        part.store(0, ordering: .relaxed)
    }
}

/// Everything that the volumes of one bundle have in common.
struct PackSetting {
    let name: String
    let job: String
    let rules: PackRules
    let secrets: PackSecrets
    let source: Directory
    let target: Directory
    let checkLanes: CheckLanes
    let progress: PackProgress
    let isProven: Bool
}

/// Which volume of how many, and where its entries stand.
struct VolumePlace {
    let number: Int
    /// 0 while it is not known.
    let count: Int
    /// What stands before every entry: empty, or the bag's folder with its slash.
    let prefix: String
    private let isBag: Bool

    init(number: Int, count: Int, of setting: PackSetting) {
        self.number = number
        self.count = count
        isBag = setting.rules.bag != nil
        // Not the bundle's name: that holds the date, and the same content is to give the same bytes on any day.
        let base = "\(setting.job)-\(setting.rules.id)"
        prefix = isBag ? count > 1 ? "\(base)-\(padded(number))/" : "\(base)/" : ""
    }

    /// An item's entry below ``prefix``.
    func path(of name: String) -> String { isBag ? "data/\(name)" : name }
}

/// A volume that is whole and read back, and is neither durable yet nor has a name.
struct FinishedVolume {
    let place: VolumePlace
    let file: SharedDraft
    let log: EntryLog
    let entries: Int
    let bytes: Int64
    /// 32 bytes.
    let sha256: [UInt8]
}

/// A volume's number as names hold it: `001`.
func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(3 - digits.count, 0)) + digits
}
