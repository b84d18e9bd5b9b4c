import Archives
import Model

/// Says, before a file is added, how large the volume would be with it at most. Pure.
///
/// The archive's own length lags behind what was put in, by what the compressor still holds. So the bound is the
/// smaller of two: everything put in as if nothing could be compressed, and what is written with all that the
/// compressor can hold.
struct VolumeMeter {
    private let format: BundleFormat
    private let isBag: Bool
    private let isSealed: Bool
    private let held: Int64
    private var given: Int64 = 0
    private var tail: Int64

    init(_ rules: PackRules) {
        format = rules.format
        isBag = rules.bag != nil
        isSealed = !rules.recipients.isEmpty
        held = Self.held(rules)
        tail = isBag ? 24 << 10 : 6 << 10
    }

    mutating func add(_ item: PackItem, manifestLine: Int, isLink: Bool) {
        given = saturated(given, cost(of: item, isLink: isLink))
        tail += tailCost(of: item, manifestLine)
    }

    /// The most bytes that the volume can have when the item is added.
    /// - Parameter written: the archive's bytes so far.
    func size(adding item: PackItem, manifestLine: Int, isLink: Bool, written: Int64) -> Int64 {
        let before = min(given, saturated(written, held))
        let archive = saturated(
            saturated(before, cost(of: item, isLink: isLink)), tail + tailCost(of: item, manifestLine))
        // OpenPGP cuts into packets and adds a head for each recipient.
        return isSealed ? saturated(archive, archive / 1024 + (32 << 10)) : archive
    }

    private func cost(of item: PackItem, isLink: Bool) -> Int64 {
        let content = isLink ? 0 : saturated(item.bytes, item.bytes / 256)
        return saturated(content, 2600 + 4 * Int64(item.name.utf8.count))
    }

    private func tailCost(of item: PackItem, _ manifestLine: Int) -> Int64 {
        let name = 3 * Int64(item.name.utf8.count)
        // A directory of zip or 7z lists each name again; a bag has two more lists.
        return Int64(manifestLine) + 80 + name + (isBag ? 80 + 150 + 2 * name : 0) + 120 + name
    }

    private func saturated(_ one: Int64, _ other: Int64) -> Int64 {
        let (sum, isOver) = one.addingReportingOverflow(other)
        return isOver ? .max : sum
    }

    /// The most that the compressor and libarchive's own blocks hold back.
    private static func held(_ rules: PackRules) -> Int64 {
        let mebibyte: Int64 = 1 << 20
        let threads = Int64(rules.threads)
        switch rules.format {
        case .tar, .tarGzip, .zip: return mebibyte
        case .tarZstd:
            let level = rules.level ?? 3
            let job: Int64 = level < 10 ? 8 : level < 16 ? 16 : level < 20 ? 32 : 512
            return (threads + 2) * job * mebibyte
        case .tarXz: return (2 * max(threads, 2) + 1) * ((rules.level ?? 6) < 5 ? 12 : 24) * mebibyte
        // All of it comes at the end.
        case .sevenZip: return .max
        }
    }
}
