import CBrotli

/// Content that is no brotli (RFC 7932).
package struct BrotliError: Error, CustomStringConvertible {
    package let description: String
}

/// libbrotli's decoder of one stream; freed once. Takes at most the 16 MiB window of RFC 7932.
package final class BrotliDecoder {
    private let state: OpaquePointer
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 * 1024, alignment: 16)

    package init() throws {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else {
            output.deallocate()
            throw BrotliError(description: "decoding it needs too much memory")
        }
        self.state = state
    }

    deinit {
        BrotliDecoderDestroyInstance(state)
        output.deallocate()
    }

    /// Decodes input until it is used up or its stream ends; what comes out is shown piece by piece.
    package func decode(
        _ input: UnsafeRawBufferPointer, _ show: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> (consumed: Int, isEnd: Bool) {
        var available = input.count
        var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        while true {
            var room = output.count
            var place = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let result = BrotliDecoderDecompressStream(state, &available, &next, &room, &place, nil)
            let produced = output.count - room
            if produced > 0 { try show(UnsafeRawBufferPointer(rebasing: output[..<produced])) }
            switch result {
            case BROTLI_DECODER_RESULT_SUCCESS: return (input.count - available, true)
            case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return (input.count - available, false)
            case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: continue
            default:
                let reason = BrotliDecoderErrorString(BrotliDecoderGetErrorCode(state)).map { String(cString: $0) }
                throw BrotliError(description: "its compressed data is broken (\(reason ?? "brotli"))")
            }
        }
    }
}
