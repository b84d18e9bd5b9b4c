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
    package var linksDuplicates: Bool { format != .zip }

    /// - Parameter twin: the name of an earlier entry with the same content.
    /// - Throws: when the name could lead out of the folder where the bundle is unpacked, or is out of order.
    package mutating func entry(for item: PackItem, twin: String?) throws(Failure) -> PlannedEntry {
        guard isClean(item.name) else {
            throw Failure(.io, "the name \"\(item.name)\" is no plain path below a folder and cannot be packed")
        }
        if format == .zip, item.name.utf8.contains(UInt8(ascii: "\\")) {
            throw Failure(
                .io, "\"\(item.name)\" has a backslash, which unzips as a folder on some systems; pack it as tar")
        }
        if let last, !precedes(last, item.name) {
            throw Failure(.io, "\"\(item.name)\" came after \"\(last)\", not in the order of names")
        }
        last = item.name
        if item.name.utf8.count < 40, item.name.lowercased().hasPrefix("sha256sums") {
            taken.insert(item.name.lowercased())
        }
        let modified = time(of: item)
        if linksDuplicates, item.bytes > 0, let twin { return .hardLink(to: twin, modified: modified) }
        return .file(modified: modified)
    }

    /// The name of the last entry, which lists the digests of all others: `SHA256SUMS`. Content keeps its names, so
    /// where some is called that itself, in whatever case, the list is `SHA256SUMS-2` and so on.
    package mutating func sumsName() -> String {
        var name = "SHA256SUMS"
        var number = 1
        while taken.contains(name.lowercased()) {
            number += 1
            name = "SHA256SUMS-\(number)"
        }
        if number > 1 {
            warn("sums-renamed", "the content has a SHA256SUMS of its own; the bundle's list of digests is \(name)")
        }
        return name
    }

    private mutating func time(of item: PackItem) -> Int64 {
        guard format == .zip else { return item.modified }
        let clamped = ZipTime.clamped(item.modified)
        if clamped != item.modified {
            warn(
                "zip-time", "\"\(item.name)\" has a time that a zip cannot hold (1980 to 2106); the nearest is stored")
        }
        return clamped
    }

    private mutating func warn(_ code: String, _ message: String) {
        guard !warnings.contains(where: { $0.code == code }) else { return }
        warnings.append(RunWarning(code: code, message: message))
    }
}

extension BundleFormat {
    /// What the archive library makes of the format.
    func options(level: Int?, threads: Int) -> ArchiveOptions {
        switch self {
        case .tar: ArchiveOptions(format: .tar, threads: threads)
        case .tarGzip: ArchiveOptions(format: .tar, filter: .gzip, level: level, threads: threads)
        case .tarZstd: ArchiveOptions(format: .tar, filter: .zstd, level: level, threads: threads)
        case .tarXz: ArchiveOptions(format: .tar, filter: .xz, level: level, threads: threads)
        case .zip: ArchiveOptions(format: .zip, level: level, threads: threads)
        }
    }
}
