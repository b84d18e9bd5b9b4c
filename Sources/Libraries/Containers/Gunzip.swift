/// The content of a gzip file (RFC 1952) in memory, all members joined, their checksums right.
///
/// - Parameter limit: no more is decoded; what is longer is cut there.
/// - Returns: nil for what is damaged, cut off or no gzip.
package func gunzipped(_ bytes: [UInt8], limit: Int) -> (content: [UInt8], isCut: Bool)? {
    struct Full: Error {}
    var content: [UInt8] = []
    do {
        let inflater = try Inflater(.gzip)
        var rest = bytes[...]
        repeat {
            let step = try inflater.decode(rest) { piece in
                content += piece.prefix(limit - content.count)
                if content.count == limit { throw Full() }
            }
            guard step.isEnd else { return nil }
            rest = rest.dropFirst(step.consumed)
            inflater.reset()
        } while rest.starts(with: [0x1F, 0x8B])
        return (content, false)
    } catch {
        return error is Full ? (content, true) : nil
    }
}
