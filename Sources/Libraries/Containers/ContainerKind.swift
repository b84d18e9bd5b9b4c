/// The kinds that can be told apart by their first bytes.
enum ContainerKind {
    case zip, gzip, xz, zstd, bzip2, tar, pdf, png, jpeg, sevenZip
    /// Microsoft's older office files, and encrypted new ones.
    case compoundFile
    /// GIF, WebP, AVIF and the like: servers send them under each other's extensions.
    case otherPicture

    var name: String {
        switch self {
        case .zip: "a zip"
        case .gzip: "gzip"
        case .xz: "xz"
        case .zstd: "zstd"
        case .bzip2: "bzip2"
        case .tar: "a tar"
        case .pdf: "a PDF"
        case .png: "a PNG"
        case .jpeg: "a JPEG"
        case .sevenZip: "a 7z"
        case .compoundFile: "an OLE file"
        case .otherPicture: "a picture"
        }
    }

    private static let marks: [(mark: [UInt8], kind: ContainerKind)] = [
        ([0x50, 0x4B, 0x03, 0x04], .zip), ([0x50, 0x4B, 0x05, 0x06], .zip), ([0x1F, 0x8B, 0x08], .gzip),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], .xz), ([0x28, 0xB5, 0x2F, 0xFD], .zstd),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png), ([0xFF, 0xD8, 0xFF], .jpeg),
        ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], .sevenZip), (Array("BZh".utf8), .bzip2),
        ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], .compoundFile), (Array("%PDF-".utf8), .pdf),
        (Array("GIF8".utf8), .otherPicture), (Array("RIFF".utf8), .otherPicture),
    ]

    /// Nil for a kind that is not tested.
    init?(_ file: FileBytes) throws {
        let start = try file.read(at: 0, count: 512)
        if let found = ContainerKind.marks.first(where: { start.starts(with: $0.mark) }) {
            self = found.kind
        } else if start.count == 512, start[257..<262].elementsEqual("ustar".utf8), TarHeader.isRight(start[...]) {
            self = .tar
        } else if start.dropFirst(4).starts(with: "ftyp".utf8) {
            self = .otherPicture
        } else {
            return nil
        }
    }
}

/// What a file's extension promises.
struct Expectation {
    /// The kind, where the extension stands for one that is tested.
    let kind: ContainerKind?
    /// What a zip must hold besides.
    let parts: OfficeParts?

    private static let kinds: [String: ContainerKind] = [
        "zip": .zip, "gz": .gzip, "tgz": .gzip, "xz": .xz, "txz": .xz, "zst": .zstd, "tzst": .zstd, "bz2": .bzip2,
        "tbz": .bzip2, "tbz2": .bzip2, "tar": .tar, "pdf": .pdf, "png": .png, "jpg": .jpeg, "jpeg": .jpeg,
        "7z": .sevenZip, "jar": .zip, "apk": .zip, "kmz": .zip, "whl": .zip,
    ]

    /// - Parameter name: an extension, which may be a compound: the last part of `tar.gz` counts.
    init(_ name: String?) {
        let last = name.flatMap { $0.split(separator: ".").last.map(String.init) } ?? ""
        parts = OfficeParts(last)
        kind = parts == nil ? Expectation.kinds[last] : .zip
    }

    /// Kinds whose mark need not stand at the start, where the extension promises them: a PDF behind other bytes, and
    /// tar as it was before ustar.
    func headless(_ file: FileBytes) throws -> ContainerKind? {
        switch kind {
        case .tar:
            return TarHeader.isRight(try file.read(at: 0, count: 512)[...]) ? .tar : nil
        case .pdf:
            return find("%PDF-", in: try file.read(at: 0, count: 1024)[...]) == nil ? nil : .pdf
        default: return nil
        }
    }
}

/// The parts that an office file must have (ECMA-376, part 2; ODF 1.3, part 2; OCF 3.3).
struct OfficeParts {
    /// Whole names, or beginnings that end in a slash.
    let names: [String]

    init?(_ name: String) {
        switch name {
        case "docx", "docm", "dotx", "dotm": names = ["[Content_Types].xml", "word/"]
        case "xlsx", "xlsm", "xltx", "xltm", "xlsb": names = ["[Content_Types].xml", "xl/"]
        case "pptx", "pptm", "potx", "ppsx", "ppsm": names = ["[Content_Types].xml", "ppt/"]
        case "odt", "ods", "odp", "odg", "ott", "ots", "otp": names = ["content.xml"]
        case "epub": names = ["META-INF/container.xml"]
        default: return nil
        }
    }
}

/// Where a text first begins in bytes.
func find(_ text: String, in bytes: ArraySlice<UInt8>) -> Int? {
    let mark = Array(text.utf8)
    guard let first = mark.first else { return bytes.startIndex }
    var place = bytes.startIndex
    while let found = bytes[place...].firstIndex(of: first) {
        if bytes[found...].starts(with: mark) { return found }
        place = found + 1
    }
    return nil
}
