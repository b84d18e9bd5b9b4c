import Brotli
import Containers
import Zstandard

/// One coding on its way off.
protocol DecodingStage: AnyObject {
    /// What came so far could be all.
    var isAtEnd: Bool { get }

    /// Decodes all of the input; what comes out is shown piece by piece.
    func decode(_ input: UnsafeRawBufferPointer, _ show: (UnsafeRawBufferPointer) throws -> Void) throws
}

/// Makes an error of what follows a stream's end.
private func checkRest(_ bytes: Int) throws(CodingError) {
    guard bytes == 0 else { throw CodingError(.damaged, "other bytes follow its compressed data") }
}

/// Gives a library's own errors the form of all.
private func naming<Value>(_ work: () throws -> Value, _ isOwn: (any Error) -> Bool) throws -> Value {
    do { return try work() } catch {
        if isOwn(error) { throw CodingError(.damaged, "\(error)") }
        throw error
    }
}

/// Members of a gzip file, one after the other (RFC 1952, 2.2).
final class GzipStage: DecodingStage {
    private let inflater: Inflater
    private(set) var isAtEnd = false

    init() throws { inflater = try Inflater(.gzip) }

    func decode(_ input: UnsafeRawBufferPointer, _ show: (UnsafeRawBufferPointer) throws -> Void) throws {
        var rest = input
        while !rest.isEmpty {
            if isAtEnd { inflater.reset() }
            isAtEnd = false
            let step = try naming {
                try inflater.decode(rest, show)
            } _: {
                $0 is InflaterError
            }
            isAtEnd = step.isEnd
            rest = UnsafeRawBufferPointer(rebasing: rest[step.consumed...])
        }
    }
}

/// The zlib format (RFC 1950), or the bare deflate that some servers send instead.
final class DeflateStage: DecodingStage {
    private var inflater: Inflater?
    /// The first byte, when nothing else has come yet.
    private var first: UInt8?
    private(set) var isAtEnd = false

    func decode(_ input: UnsafeRawBufferPointer, _ show: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard let byte = input.first else { return }
        guard let inflater else {
            guard let first else {
                self.first = byte
                return try decode(UnsafeRawBufferPointer(rebasing: input.dropFirst()), show)
            }
            let isZlib = first & 0x0F == 8 && (Int(first) << 8 | Int(byte)).isMultiple(of: 31)
            let made = try naming {
                try Inflater(isZlib ? .zlib : .raw)
            } _: {
                $0 is InflaterError
            }
            inflater = made
            try withUnsafeBytes(of: first) { try inflate($0, made, show) }
            return try decode(input, show)
        }
        try inflate(input, inflater, show)
    }

    private func inflate(
        _ input: UnsafeRawBufferPointer, _ inflater: Inflater, _ show: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        if isAtEnd { return try checkRest(input.count) }
        let step = try naming {
            try inflater.decode(input, show)
        } _: {
            $0 is InflaterError
        }
        isAtEnd = step.isEnd
        try checkRest(isAtEnd ? input.count - step.consumed : 0)
    }
}

final class BrotliStage: DecodingStage {
    private let decoder: BrotliDecoder
    private(set) var isAtEnd = false

    init() throws { decoder = try BrotliDecoder() }

    func decode(_ input: UnsafeRawBufferPointer, _ show: (UnsafeRawBufferPointer) throws -> Void) throws {
        if isAtEnd { return try checkRest(input.count) }
        let step = try naming {
            try decoder.decode(input, show)
        } _: {
            $0 is BrotliError
        }
        isAtEnd = step.isEnd
        try checkRest(input.count - step.consumed)
    }
}

final class ZstandardStage: DecodingStage {
    private let decoder: ZstandardDecoder
    private(set) var isAtEnd = false

    init() throws { decoder = try ZstandardDecoder() }

    func decode(_ input: UnsafeRawBufferPointer, _ show: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard !input.isEmpty else { return }
        isAtEnd = try naming {
            try decoder.decode(input, show)
        } _: {
            $0 is ZstandardError
        }
    }
}
