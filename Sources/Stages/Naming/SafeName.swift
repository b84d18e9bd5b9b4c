import Digests
import Unicode

/// Makes text from outside into one component of a path that every file system and every shell takes.
///
/// What comes out: NFC; no separators, control, bidi or invisible characters; nothing that Windows forbids; no dot,
/// dash or blank at the start, no dot or blank at the end; never a device's name; never `.` or `..`. It may be empty.
package enum SafeName {
    /// Most bytes of a component. File systems take 255; the rest is for a collision's number.
    package static let limit = 240

    /// The component, not shortened.
    package static func component(_ text: String) -> String { guarded(cleaned(text)) }

    /// As `component`, but names of devices stay: for a part of a name that gets text before it.
    static func cleaned(_ text: String) -> String {
        if text.utf8.allSatisfy(isPlain) { return trimmedEnds(text) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var hasDropped = false
        for scalar in composed(text).unicodeScalars {
            switch replacement(scalar) {
            case .keep where scalar.isASCII: bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            case .keep: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            case .replace: bytes.append(UInt8(ascii: "_"))
            case .drop: hasDropped = true
            }
        }
        let clean = String(decoding: bytes, as: UTF8.self)
        // Taking out what is invisible may have brought together what composes.
        return trimmedEnds(hasDropped ? clean.nfc : clean)
    }

    private enum Fate { case keep, replace, drop }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: " "):
            true
        default: false
        }
    }

    private static func replacement(_ scalar: Unicode.Scalar) -> Fate {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: return .replace
        case 0x22, 0x2A, 0x2F, 0x3A, 0x3C, 0x3E, 0x3F, 0x5C, 0x7C: return .replace
        case 0x20...0x7E: return .keep
        // Soft hyphen, bidi marks and overrides, zero width space, word joiner, byte order mark, language tags.
        case 0xAD, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB,
            0xE0000...0xE007F:
            return .drop
        case 0x2028, 0x2029: return .replace
        case 0xFDD0...0xFDEF: return .replace
        default: return scalar.value & 0xFFFE == 0xFFFE ? .replace : .keep
        }
    }

    /// Letters and digits at both ends need no look at Unicode's properties.
    private static func endsPlainly(_ text: String) -> Bool {
        func isPlainEnd(_ byte: UInt8?) -> Bool {
            guard let byte else { return false }
            return ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A) || (byte >= 0x30 && byte <= 0x39)
        }
        return isPlainEnd(text.utf8.first) && isPlainEnd(text.utf8.last)
    }

    private static func trimmedEnds(_ text: String) -> String {
        if endsPlainly(text) { return text }
        let scalars = text.unicodeScalars
        func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar.properties.isWhitespace }
        // A mark without a letter before it would cling to the slash before the component.
        func isMark(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .spacingMark: scalar.value > 0x7F
            default: false
            }
        }
        guard let first = scalars.firstIndex(where: { !($0 == "." || $0 == "-" || isBlank($0) || isMark($0)) }),
            let last = scalars.lastIndex(where: { !($0 == "." || isBlank($0)) })
        else { return "" }
        guard first > scalars.startIndex || scalars.index(after: last) < scalars.endIndex else { return text }
        return String(scalars[first...last])
    }

    private static let devices: Set<String> = {
        let numbered = ["COM", "LPT"].flatMap { name in "0123456789¹²³".map { "\(name)\($0)" } }
        return Set(["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"] + numbered)
    }()

    /// Puts `_` before what Windows takes for a device, whatever its extension, or for a folder's own settings, and
    /// breaks the mark by which its shell knows special folders.
    static func guarded(_ text: String) -> String {
        guard !text.isEmpty else { return text }
        let base = text.utf8.prefix { $0 != UInt8(ascii: ".") }
        if (3...8).contains(base.count) {
            let name = String(decoding: base, as: UTF8.self)
            var stem = Substring(name)
            while stem.last == " " { stem.removeLast() }
            if devices.contains(stem.uppercased()) { return "_" + text }
        }
        if text.utf8.count < 12, ["thumbs.db", "desktop.ini"].contains(text.lowercased()) { return "_" + text }
        return text.utf8.last == UInt8(ascii: "}") ? text.replacing(".{", with: "._") : text
    }

    /// At most that many bytes of a text, cut before a character that does not fit whole, and never left with a
    /// blank or dot at the end.
    package static func prefix(_ text: String, bytes limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var length = 0
        var end = text.startIndex
        for index in text.indices {
            let next = text.index(after: index)
            length += text.utf8.distance(from: index, to: next)
            if length > limit { break }
            end = next
        }
        // One character may be built of thousands of scalars; then it is cut between those.
        if end == text.startIndex {
            length = 0
            for index in text.unicodeScalars.indices {
                length += UTF8.width(text.unicodeScalars[index])
                if length > limit { break }
                end = text.unicodeScalars.index(after: index)
            }
        }
        return trimmedEnds(String(text[..<end]))
    }

    /// Text cut to that many bytes, with eight digits of the whole text's hash at its end if anything was cut.
    static func shortened(_ text: String, bytes limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        let digest = (try? SHA256.digest(of: text.utf8)) ?? []
        return prefix(text, bytes: max(1, limit - 9)) + "-" + hex(digest.prefix(4))
    }

    /// Kana, ideographs and Hangul syllables: without case, composed, and never composing with each other or with what
    /// lies below U+0300.
    private static func isInert(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
        default: false
        }
    }

    private static func composed(_ text: String) -> String {
        text.unicodeScalars.allSatisfy { $0.value < 0x300 || isInert($0) } ? text : text.nfc
    }

    /// The form in which names collide on file systems that ignore case or composition: NFC, case folded in full.
    package static func folded(_ name: String) -> String {
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
        if name.unicodeScalars.allSatisfy({ $0.value < 0x80 || isInert($0) }) {
            return String(decoding: name.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
        }
        return name.uppercased().lowercased().replacing("ς", with: "σ").nfc
    }
}
