import HTTP
import Model
import URLs

/// What a request for the rest of a body was answered with. A server may leave out, shift, change or lie about what it
/// was asked for: unless everything fits, the body is fetched again from its first byte.
struct Resumption: Sendable {
    let origin: PartOrigin
    /// Bytes that are there already.
    let offset: Int64

    enum Answer: Sendable {
        /// The rest follows; the whole will have this many bytes.
        case rest(total: Int64)
        /// Nothing is missing.
        case complete
        /// What came cannot be joined to what is there.
        case unfit(String)
    }

    /// The fields that ask for the rest, and for all of it if it has changed (RFC 9110, 13.1.5 and 14.2).
    var fields: [(name: String, value: String)] {
        guard let validator = origin.validator else { return [] }
        return [("Range", "bytes=\(offset)-"), ("If-Range", validator)]
    }

    /// Judges an answer of 206 Partial Content.
    func partial(_ head: HTTPHead, _ headers: HeaderFields) -> Answer {
        let ranges = headers.all("content-range")
        guard ranges.count == 1, let range = ContentRange(ranges[0]), let bytes = range.range else {
            return .unfit("a part of it without a valid Content-Range")
        }
        guard bytes.lowerBound == offset else {
            return .unfit("the part from byte \(bytes.lowerBound) on where \(offset) was asked for")
        }
        guard let total = range.total, origin.total == nil || origin.total == total else {
            return .unfit("a part of something of another length")
        }
        if let length = head.contentLength, length != bytes.upperBound - bytes.lowerBound + 1 {
            return .unfit("a part whose length is not what its Content-Range says")
        }
        guard headers.all("content-encoding") == origin.headers.all("content-encoding") else {
            return .unfit("a part of a body that is coded otherwise")
        }
        guard origin.agrees(with: headers) else { return .unfit("a part of another version") }
        return .rest(total: total)
    }

    /// Judges an answer of 416 Range Not Satisfiable: right when what is there is all there is.
    func unsatisfiable(_ headers: HeaderFields) -> Answer {
        guard let field = headers.bytes("content-range"), let range = ContentRange(field), range.range == nil,
            range.total == offset, origin.total == nil || origin.total == offset,
            headers.bytes("etag") == nil || headers.all("etag") == origin.headers.all("etag")
        else { return .unfit("416, since it is not as long any more") }
        return .complete
    }
}
