import CZlib

/// Why zlib cannot decode what it got.
package struct InflaterError: Error, CustomStringConvertible {
    package let description: String
    /// The input may be right.
    let isMemory: Bool
}

/// zlib's inflate; freed once.
package final class Inflater {
    package enum Format: Int32 {
        /// One member of a gzip file, its CRC and length checked.
        case gzip = 31
        /// The zlib format (RFC 1950), its checksum checked.
        case zlib = 15
        /// Deflate alone, as in a zip.
        case raw = -15
    }
    // zlib keeps a pointer back to this, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
    private let isReady: Bool

    package init(_ format: Format) throws {
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        isReady = inflateInit2_(stream, format.rawValue, ZLIB_VERSION, size) == Z_OK
        if !isReady { throw tooMuch }
    }

    deinit {
        if isReady { inflateEnd(stream) }
        stream.deallocate()
        output.deallocate()
    }

    package func reset() { inflateReset(stream) }

    package struct Step {
        package let consumed: Int
        package let isEnd: Bool
    }

    /// Decodes input until it is used up or its stream ends; what comes out is shown piece by piece.
    package func decode(
        _ input: UnsafeRawBufferPointer, _ show: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Step {
        guard let start = input.baseAddress else { return Step(consumed: 0, isEnd: false) }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(clamping: input.count)
        while true {
            stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(output.count)
            let result = inflate(stream, Z_NO_FLUSH)
            let produced = output.count - Int(stream.pointee.avail_out)
            if produced > 0 { try show(UnsafeRawBufferPointer(rebasing: output[..<produced])) }
            let consumed = input.count - Int(stream.pointee.avail_in)
            switch result {
            case Z_STREAM_END: return Step(consumed: consumed, isEnd: true)
            case Z_OK where stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0: continue
            case Z_OK, Z_BUF_ERROR: return Step(consumed: consumed, isEnd: false)
            case Z_MEM_ERROR: throw tooMuch
            default:
                throw InflaterError(description: "its compressed data is broken (\(reason))", isMemory: false)
            }
        }
    }

    /// The same for the tests of files, with their errors.
    func decode(_ input: ArraySlice<UInt8>, _ show: (UnsafeRawBufferPointer) throws -> Void) throws -> Step {
        do { return try input.withUnsafeBytes { try decode($0, show) } } catch let error as InflaterError {
            throw error.isMemory ? Stop.bound(error.description) : Stop.damaged(error.description)
        }
    }

    private var tooMuch: InflaterError {
        InflaterError(description: "decoding it needs too much memory", isMemory: true)
    }

    private var reason: String { stream.pointee.msg.map { String(cString: $0) } ?? "zlib gives no reason" }
}

/// CRC-32 (ITU-T V.42), as zip, gzip and PNG have it.
struct CRC32 {
    private(set) var value: UInt = crc32_z(0, nil, 0)

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        value = crc32_z(value, start.assumingMemoryBound(to: UInt8.self), bytes.count)
    }

    mutating func add(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBytes { add($0) } }
}

/// Every member of a gzip file, one after the other (RFC 1952, 2.2); only zeros may fill it up.
func testGzip(_ file: FileBytes, _ budget: inout Budget) throws {
    let inflater = try Inflater(.gzip)
    var window = Window(file)
    while true {
        guard try window.fill() else { throw Stop.damaged("it ends in the middle of its compressed data") }
        let step = try inflater.decode(window.rest) { try budget.spend($0.count) }
        try budget.spend(step.consumed / 8)
        window.skip(Int64(step.consumed))
        guard step.isEnd else { continue }
        if window.isAtEnd { return }
        if try window.fill(2), window.rest.starts(with: [0x1F, 0x8B]) {
            inflater.reset()
            continue
        }
        while try window.fill() {
            guard window.rest.allSatisfy({ $0 == 0 }) else {
                throw Stop.damaged("bytes that are no gzip follow its compressed data")
            }
            try budget.spend(window.rest.count)
            window.skip(Int64(window.rest.count))
        }
        return
    }
}
