import Codings
import TestSupport
import Testing

@Suite struct BodyDecoderTests {
    private let text = Array(sampleText.utf8)

    /// Decodes, in pieces of that size.
    private func decode(
        _ bytes: [UInt8], _ codings: [ContentCoding], limit: Int64 = 1 << 30, step: Int = 1 << 20
    ) throws -> [UInt8] {
        let decoder = try BodyDecoder(codings, limit: limit)
        var content: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: step) {
            let piece = Array(bytes[start..<min(start + step, bytes.count)])
            try piece.withUnsafeBytes { try decoder.decode($0) { content += Array($0) } }
        }
        try decoder.finish()
        return content
    }

    private func kind(_ bytes: [UInt8], _ codings: [ContentCoding], limit: Int64 = 1 << 30) -> CodingError.Kind? {
        do {
            _ = try decode(bytes, codings, limit: limit)
            return nil
        } catch { return (error as? CodingError)?.kind }
    }

    private func samples() async throws -> [(ContentCoding, [UInt8])] {
        [
            (.gzip, try await Coded.deflated(text, window: 31)), (.deflate, try await Coded.deflated(text, window: 15)),
            (.deflate, try await Coded.deflated(text, window: -15)), (.br, Sample.brotli), (.zstd, Sample.zstd),
        ]
    }

    @Test func decodesEachCodingInPiecesOfAnySize() async throws {
        for (coding, bytes) in try await samples() {
            for step in [1, 7, 1 << 20] {
                #expect(try decode(bytes, [coding], step: step) == text, "\(coding) \(step)")
            }
        }
    }

    @Test func whatIsCutBeforeItsEndIsNoBody() async throws {
        for (coding, bytes) in try await samples() {
            for count in [1, 2, 9, bytes.count / 2, bytes.count - 1] {
                #expect(kind(Array(bytes.prefix(count)), [coding]) == .cut, "\(coding) \(count)")
            }
        }
    }

    @Test func whatFollowsTheEndIsDamage() async throws {
        for (coding, bytes) in try await samples() {
            #expect(kind(bytes + Array("junk".utf8), [coding]) == .damaged, "\(coding)")
        }
    }

    @Test func changedBytesAreNoticedWhereThereIsAChecksum() async throws {
        for (coding, bytes) in try await samples() where coding == .gzip || coding == .deflate {
            var spoilt = bytes
            spoilt[bytes.count - 3] ^= 0x40
            if bytes.first == 0x1F || bytes.first == 0x78 { #expect(kind(spoilt, [coding]) == .damaged) }
        }
        #expect(kind(Array("<html>no coding</html>".utf8), [.gzip]) == .damaged)
        #expect(kind(Array("<html>no coding</html>".utf8), [.zstd]) == .damaged)
    }

    @Test func membersAndFramesAreJoined() async throws {
        let gzip = try await Coded.deflated(text, window: 31)
        #expect(try decode(gzip + gzip, [.gzip], step: 5) == text + text)
        #expect(try decode(Sample.zstd + Sample.zstd, [.zstd]) == text + text)
    }

    @Test func codingsNest() async throws {
        let twice = try await Coded.deflated(Sample.brotli, window: 31)
        #expect(try decode(twice, [.br, .gzip], step: 3) == text)
    }

    @Test func anEmptyBodyIsEmpty() throws {
        #expect(try decode([], [.gzip]).isEmpty)
        #expect(try decode([], [.br, .zstd]).isEmpty)
    }

    @Test func bombsAreCutOff() async throws {
        let zeros = [UInt8](repeating: 0, count: 20 << 20)
        let gzip = try await Coded.deflated(zeros, window: 31)
        let nested = try await Coded.deflated(gzip, window: 31)
        #expect(kind(gzip, [.gzip]) == .tooLarge)
        #expect(kind(nested, [.gzip, .gzip]) == .tooLarge)
        #expect(kind(Sample.brotliBomb, [.br]) == .tooLarge)
        #expect(kind(Sample.brotli, [.br], limit: Int64(text.count - 1)) == .tooLarge)
        #expect(kind(Sample.brotli, [.br], limit: Int64(text.count)) == nil)
    }

    @Test func readsTheListOfCodings() throws {
        let list = { (fields: [String]) in try ContentCoding.list(fields.map { Array($0.utf8) }) }
        #expect(try list([]) == [])
        #expect(try list(["identity"]) == [])
        #expect(try list(["X-GZIP , br", "", "Zstd"]) == [.gzip, .br, .zstd])
        #expect(try list(["gzip,gzip,gzip,gzip,gzip"]).count == 5)
        #expect(throws: CodingError.self) { try list(["gzip,gzip,gzip", "gzip,gzip,gzip"]) }
        #expect(throws: CodingError.self) { try list(["compress"]) }
    }
}
