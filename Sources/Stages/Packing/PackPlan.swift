import Archives
package import Model

/// What becomes of an item in a bundle.
package enum PlannedEntry: Sendable, Hashable {
    /// A file with content of its own; `modified` is in seconds since 1970.
    case file(modified: Int64)
    /// A second name of an entry before it.
    case hardLink(to: String, modified: Int64)
}

/// Decides, item by item and without touching anything, what a bundle is to hold. Items come in the order of their
/// names' bytes, so that the same content always gives the same bundle.
package struct PackPlan: Sendable {
    private let format: BundleFormat
    private var last: String?
    /// Content names that the list of digests must not take.
    private var taken: Set<String> = []
    /// Each once, however many items it is true of.
    package private(set) var warnings: [RunWarning] = []

    package init(format: BundleFormat) { self.format = format }

    /// Whether a second name of the same content is stored as a link to the first.
    package var linksDuplicates: Bool { format != .zip && format != .sevenZip }

    /// - Parameter twin: the name of an earlier entry with the same content.
    /// - Throws: when the name could lead out of the folder where the bundle is unpacked, or is out of order.
    package mutating func entry(for item: PackItem, twin: String?) throws(Failure) -> PlannedEntry {
        guard isClean(item.name) else {
            throw Failure(.io, "the name \"\(item.name)\" is no plain path below a folder and cannot be packed")
        }
        if !linksDuplicates, item.name.utf8.contains(UInt8(ascii: "\\")) {
            throw Failure(
                .io, "\"\(item.name)\" has a backslash, which unpacks as a folder on some systems; pack it as tar")
        }
        if let last, !precedes(last, item.name) {
            throw Failure(.io, "\"\(item.name)\" came after \"\(last)\", not in the order of names")
        }
        last = item.name
        if item.name.utf8.count < 40 {
            let lowered = item.name.lowercased()
            if lowered.hasPrefix("sha256sums") || lowered.hasPrefix("manifest") { taken.insert(lowered) }
        }
        let modified = time(item.modified, of: item.name)
        if linksDuplicates, item.bytes > 0, let twin { return .hardLink(to: twin, modified: modified) }
        return .file(modified: modified)
    }

    /// The name of an entry that lists the others: `SHA256SUMS`. Content keeps its names, so where some is called that
    /// itself, in whatever case, the list is `SHA256SUMS-2` and so on. In a bag content stands in a folder of its own.
    package mutating func tagName(_ stem: String, _ end: String = "", isBag: Bool) -> String {
        var name = stem + end
        var number = 1
        while !isBag, taken.contains(name.lowercased()) {
            number += 1
            name = "\(stem)-\(number)\(end)"
        }
        if number > 1 {
            let code = end.isEmpty ? "sums-renamed" : "manifest-renamed"
            warn(code, "the content has a \(stem)\(end) of its own; the bundle's own list is \(name)")
        }
        return name
    }

    /// A time as the format can hold it.
    /// - Parameter name: what it is the time of, for the warning; nil for what no warning is due.
    mutating func time(_ seconds: Int64, of name: String? = nil) -> Int64 {
        let clamped: Int64
        switch format {
        case .zip: clamped = ZipTime.clamped(seconds)
        case .sevenZip: clamped = SevenZipTime.clamped(seconds)
        default: return seconds
        }
        if clamped != seconds, let name {
            let range = format == .zip ? "zip cannot hold (1980 to 2106)" : "7z cannot hold (before 1601)"
            warn("\(format.rawValue)-time", "\"\(name)\" has a time that a \(range); the nearest is stored")
        }
        return clamped
    }

    mutating func warn(_ code: String, _ message: String) {
        guard !warnings.contains(where: { $0.code == code }) else { return }
        warnings.append(RunWarning(code: code, message: message))
    }
}

extension PackRules {
    /// What the archive library makes of the rules.
    func options(passphrase: String?) -> ArchiveOptions {
        switch format {
        case .tar: ArchiveOptions(format: .tar)
        case .tarGzip: ArchiveOptions(format: .tar, filter: .gzip, level: level)
        case .tarZstd: ArchiveOptions(format: .tar, filter: .zstd, level: level, threads: threads)
        case .tarXz: ArchiveOptions(format: .tar, filter: .xz, level: level, threads: threads)
        case .zip: ArchiveOptions(format: .zip, level: level, passphrase: passphrase)
        case .sevenZip: ArchiveOptions(format: .sevenZip, level: level)
        }
    }
}
