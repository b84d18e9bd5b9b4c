/// Takes the codings off a body, piece by piece, within bounds.
///
/// A body is only good when its coded data ends where the body does: one that is cut, has other bytes behind its end or
/// a wrong checksum is an error, however much of it could be read.
package final class BodyDecoder {
    private let stages: [any DecodingStage]
    /// What has come out of each stage.
    private var produced: [Int64]
    private var coded: Int64 = 0
    private let limit: Int64

    /// More than that times its coded length is a bomb: text that people write stays below 30, tables below 100.
    package static let mostRatio: Int64 = 250
    /// Below this nobody is harmed.
    package static let harmless: Int64 = 2 << 20

    /// - Parameters:
    ///   - codings: in the order in which they were applied.
    ///   - limit: most bytes that may come out.
    package init(_ codings: [ContentCoding], limit: Int64) throws(CodingError) {
        self.limit = limit
        produced = codings.map { _ in 0 }
        do {
            stages = try codings.reversed().map { coding -> any DecodingStage in
                switch coding {
                case .gzip: try GzipStage()
                case .deflate: DeflateStage()
                case .br: try BrotliStage()
                case .zstd: try ZstandardStage()
                }
            }
        } catch { throw CodingError(.damaged, "\(error)") }
    }

    /// - Parameter show: gets the content piece by piece; what it throws is thrown on.
    package func decode(
        _ piece: UnsafeRawBufferPointer, _ show: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        coded += Int64(piece.count)
        try feed(piece, from: 0, show)
    }

    /// Says that the body has ended.
    package func finish() throws(CodingError) {
        // Servers that call an empty body coded are common, and nothing is lost.
        guard coded > 0 else { return }
        guard stages.allSatisfy(\.isAtEnd) else {
            throw CodingError(.cut, "it ends in the middle of its compressed data")
        }
    }

    private func feed(
        _ piece: UnsafeRawBufferPointer, from index: Int, _ show: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard index < stages.count else { return try show(piece) }
        try stages[index].decode(piece) { content in
            produced[index] += Int64(content.count)
            try checkBounds(produced[index])
            try feed(content, from: index + 1, show)
        }
    }

    private func checkBounds(_ bytes: Int64) throws(CodingError) {
        guard bytes <= limit else { throw CodingError(.tooLarge, "it decodes to more than \(limit) bytes") }
        let (most, isOver) = coded.multipliedReportingOverflow(by: Self.mostRatio)
        guard isOver || bytes <= Self.harmless || bytes <= most else {
            throw CodingError(.tooLarge, "it decodes to more than \(Self.mostRatio) times its length")
        }
    }
}
