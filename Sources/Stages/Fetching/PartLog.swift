import Digests
import Model
import URLs

/// The text beside a part file that says what it is the beginning of: a head, written once, and a line for each point
/// up to which the content's SHA-256 is known. A line is only ever added; one that a kill cut short is ignored, and so
/// is all that does not fit: what cannot be proven is fetched again.
struct PartLog: Sendable {
    /// A point up to which the content can be checked.
    struct Checkpoint: Sendable, Hashable {
        /// The range that it is in, counted from 0.
        var segment = 0
        /// From the range's first byte.
        var bytes: Int64
        var sha256: [UInt8]

        func line(isSegmented: Bool = false) -> String {
            "at \(isSegmented ? "\(segment) " : "")\(bytes) \(hex(sha256))\n"
        }
    }

    var origin: PartOrigin
    /// In the order of bytes.
    var checkpoints: [Checkpoint] = []

    /// Longest log that is read.
    static let mostBytes = 4 << 20
    static let mostSegments = 64
    private static let title = "nightjar part 1"

    static func head(_ origin: PartOrigin) -> [UInt8] {
        var text = Array("\(title)\nurl \(origin.url.href)\nfrom \(origin.answered.href)\n".utf8)
        if let total = origin.total { text += Array("total \(total)\n".utf8) }
        if origin.segments > 1 { text += Array("segments \(origin.segments)\n".utf8) }
        for field in origin.headers.fields {
            text += Array("field \(field.name):".utf8) + field.value + [UInt8(ascii: "\n")]
        }
        return text + Array("end\n".utf8)
    }

    /// Nil when the head is not whole and right.
    init?(_ bytes: [UInt8]) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        // What follows the last line end is a line cut short.
        lines.removeLast()
        guard let first = lines.popFirst(), first.elementsEqual(Self.title.utf8) else { return nil }
        var urls: [String: WebURL] = [:]
        var total: Int64?
        var segments = 1
        var headers = HeaderFields()
        reading: while true {
            guard let line = lines.popFirst() else { return nil }
            let (word, rest) = Self.split(line, at: UInt8(ascii: " "))
            switch word {
            case "url", "from": urls[word] = WebURL(String(decoding: rest, as: UTF8.self))
            case "total":
                guard let value = Int64(String(decoding: rest, as: UTF8.self)), value >= 0 else { return nil }
                total = value
            case "segments":
                guard let value = Int(String(decoding: rest, as: UTF8.self)), 2...Self.mostSegments ~= value else {
                    return nil
                }
                segments = value
            case "field":
                let (name, value) = Self.split(rest, at: UInt8(ascii: ":"))
                headers.append(name: name, value: Array(value))
            case "end": break reading
            default: return nil
            }
        }
        guard let url = urls["url"], let answered = urls["from"] else { return nil }
        origin = PartOrigin(url: url, answered: answered, headers: headers, total: total)
        origin.segments = segments
        guard origin.validator != nil else { return nil }
        var reached: [Int: Int64] = [:]
        for line in lines {
            guard let checkpoint = Self.checkpoint(line, segments: segments),
                checkpoint.bytes > reached[checkpoint.segment, default: 0], checkpoint.bytes <= total ?? .max
            else {
                // Ranges are told apart by their lines: what a kill has cut off is one line of one of them.
                if segments > 1 { continue }
                break
            }
            reached[checkpoint.segment] = checkpoint.bytes
            checkpoints.append(checkpoint)
        }
    }

    private static func checkpoint(_ line: ArraySlice<UInt8>, segments: Int) -> Checkpoint? {
        var words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.first == "at" else { return nil }
        var segment = 0
        if segments > 1 {
            guard words.count == 4, let number = Int(words.remove(at: 1)), 0..<segments ~= number else { return nil }
            segment = number
        }
        guard words.count == 3, let count = Int64(words[1]), count > 0,
            let digest = bytes(hex: String(words[2])), digest.count == 32
        else { return nil }
        return Checkpoint(segment: segment, bytes: count, sha256: digest)
    }

    private static func split(_ line: ArraySlice<UInt8>, at mark: UInt8) -> (String, ArraySlice<UInt8>) {
        let word = line.prefix { $0 != mark }
        return (String(decoding: word, as: UTF8.self), line.dropFirst(word.count + 1))
    }
}
