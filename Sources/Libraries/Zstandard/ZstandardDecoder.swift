import CZstd

/// Content that is no Zstandard (RFC 8878), or asks for more memory than the web's bound.
package struct ZstandardError: Error, CustomStringConvertible {
    package let description: String
}

/// libzstd's decoder of one frame after the other; freed once.
package final class ZstandardDecoder {
    private let stream: OpaquePointer
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 * 1024, alignment: 16)
    /// RFC 9659: a content coding uses no window of more than 8 MiB.
    private static let windowLog: Int32 = 23

    package init() throws {
        guard let stream = ZSTD_createDStream() else {
            output.deallocate()
            throw ZstandardError(description: "decoding it needs too much memory")
        }
        self.stream = stream
        ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, Self.windowLog)
    }

    deinit {
        ZSTD_freeDStream(stream)
        output.deallocate()
    }

    /// Decodes all of the input; what comes out is shown piece by piece.
    /// - Returns: whether it ends where a frame does.
    package func decode(
        _ input: UnsafeRawBufferPointer, _ show: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        while true {
            var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
            let wanted = ZSTD_decompressStream(stream, &target, &source)
            guard ZSTD_isError(wanted) == 0 else {
                let reason = String(cString: ZSTD_getErrorName(wanted))
                throw ZstandardError(description: "its compressed data is broken (\(reason))")
            }
            if target.pos > 0 { try show(UnsafeRawBufferPointer(rebasing: output[..<target.pos])) }
            if source.pos == source.size, target.pos < target.size { return wanted == 0 }
        }
    }
}
