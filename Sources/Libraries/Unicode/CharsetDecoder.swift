import CShims

/// Turns the bytes of one body, chunk by chunk as they come, into UTF-8. What is malformed becomes U+FFFD, and a byte
/// order mark at the very start is dropped. Time and memory are linear in the chunk.
package struct CharsetDecoder: ~Copyable {
    private var engine: Engine
    private var isAtStart = true

    /// A decoder at the start of a body.
    package init(_ charset: Charset) {
        engine =
            switch charset.method {
            case .utf8: .utf8(UTF8Mender())
            case .table(let table): .table(table)
            case .icu(let name): Converter(name).map { .icu($0) } ?? .table(windows1252Table)
            case .replacement: .replacement(done: false)
            }
    }

    /// Decodes a chunk and appends it; a character cut by the chunk's end waits for the next one. `isLast` ends the
    /// body: what still waits is malformed then.
    package mutating func decode(_ bytes: Span<UInt8>, isLast: Bool = false, into utf8: inout [UInt8]) {
        let start = utf8.count
        engine.decode(bytes, isLast: isLast, into: &utf8)
        guard isAtStart, utf8.count > start else { return }
        isAtStart = false
        if utf8[start...].starts(with: [0xEF, 0xBB, 0xBF]) { utf8.removeSubrange(start..<start + 3) }
    }
}

private enum Engine {
    case utf8(UTF8Mender)
    case table([UInt16])
    case icu(Converter)
    case replacement(done: Bool)

    mutating func decode(_ bytes: Span<UInt8>, isLast: Bool, into utf8: inout [UInt8]) {
        switch self {
        case .utf8(var mender):
            mender.decode(bytes, isLast: isLast, into: &utf8)
            self = .utf8(mender)
        case .table(let table):
            appendDecoded(bytes, by: table, to: &utf8)
        case .icu(let converter):
            converter.decode(bytes, isLast: isLast, into: &utf8)
        case .replacement(let done):
            guard !done, !bytes.isEmpty else { return }
            utf8.append(contentsOf: replacementCharacter)
            self = .replacement(done: true)
        }
    }
}

/// Passes UTF-8 on, mended where it is malformed.
private struct UTF8Mender {
    /// The start of a character whose rest has not come yet, three bytes at most.
    private var pending: [UInt8] = []

    mutating func decode(_ bytes: Span<UInt8>, isLast: Bool, into utf8: inout [UInt8]) {
        if pending.isEmpty {
            let whole = isLast ? bytes.count : wholeCharacters(in: bytes)
            append(bytes.extracting(0..<whole), to: &utf8)
            for index in whole..<bytes.count { pending.append(bytes[index]) }
        } else {
            var joined = pending
            bytes.withUnsafeBufferPointer { joined.append(contentsOf: $0) }
            pending = []
            decode(joined.span, isLast: isLast, into: &utf8)
        }
    }

    private func append(_ bytes: Span<UInt8>, to utf8: inout [UInt8]) {
        let isValid = (try? UTF8Span(validating: bytes)) != nil
        bytes.withUnsafeBufferPointer { buffer in
            if isValid {
                utf8.append(contentsOf: buffer)
            } else {
                utf8.append(contentsOf: String(decoding: buffer, as: UTF8.self).utf8)
            }
        }
    }

    /// The length up to a last character that is cut off.
    private func wholeCharacters(in bytes: Span<UInt8>) -> Int {
        for back in 1...3 where back <= bytes.count {
            let byte = bytes[bytes.count - back]
            if byte & 0xC0 == 0x80 { continue }
            let needed = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
            return needed > back ? bytes.count - back : bytes.count
        }
        return bytes.count
    }
}

/// One byte, one character.
private func appendDecoded(_ bytes: Span<UInt8>, by table: [UInt16], to utf8: inout [UInt8]) {
    utf8.reserveCapacity(utf8.count + bytes.count)
    for index in 0..<bytes.count {
        let byte = bytes[index]
        guard byte >= 0x80 else {
            utf8.append(byte)
            continue
        }
        let scalar = table[Int(byte & 0x7F)]
        if scalar < 0x800 {
            utf8.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
        } else {
            utf8.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
            utf8.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
        }
        utf8.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
    }
}

/// Owns one ICU converter, which remembers the bytes of a character that is not complete.
private final class Converter {
    private let converter: OpaquePointer

    init?(_ name: String) {
        guard let converter = nj_icu_converter_open(name) else { return nil }
        self.converter = converter
    }

    deinit { nj_icu_converter_close(converter) }

    func decode(_ bytes: Span<UInt8>, isLast: Bool, into utf8: inout [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            // ICU wants two pointers that it may compare, even for nothing.
            let empty: [CChar] = [0]
            empty.withUnsafeBufferPointer { nothing in
                var source = buffer.bindMemory(to: CChar.self).baseAddress ?? nothing.baseAddress
                let end = source.map { $0 + buffer.count }
                var more: CInt = 1
                while more == 1 {
                    let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 14) { output, count in
                        let written = output.withMemoryRebound(to: CChar.self) {
                            nj_icu_converter_decode(
                                converter, &source, end, isLast ? 1 : 0, $0.baseAddress, 1 << 14, &more)
                        }
                        count = max(0, Int(written))
                    }
                    utf8.append(contentsOf: chunk)
                }
            }
        }
    }
}

private let replacementCharacter: [UInt8] = [0xEF, 0xBF, 0xBD]
