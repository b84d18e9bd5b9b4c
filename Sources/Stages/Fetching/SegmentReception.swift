import HTTP
import Model
import Synchronization

/// Takes one range of a body, and only that range of that body.
final class SegmentReception: HTTPReceiver {
    enum Verdict: Sendable {
        case fits
        /// The server does not give exact ranges of one representation: the body is fetched as a whole instead.
        case unfit(String)
        /// An answer of another kind.
        case status(ResponseHead)
    }

    private let part: SegmentedPart
    private let segment: SegmentedPart.Segment
    private let first: Int64
    private let decided = Mutex<Verdict?>(nil)

    init(_ part: SegmentedPart, _ segment: SegmentedPart.Segment) {
        self.part = part
        self.segment = segment
        first = segment.next
    }

    /// Nil while no head has come.
    var verdict: Verdict? { decided.withLock { $0 } }

    /// The fields that ask for what is missing, and for all if it has changed.
    var fields: [(name: String, value: String)] {
        [("Range", "bytes=\(first)-\(segment.range.upperBound - 1)"), ("If-Range", part.origin.validator ?? "")]
    }

    func head(_ head: HTTPHead) -> BodyPlan {
        var fields = HeaderFields()
        for field in head.fields { fields.append(name: field.name, value: field.value) }
        let verdict = judge(head, fields)
        decided.withLock { $0 = verdict }
        guard case .fits = verdict else { return .discard(reading: 0) }
        return .stream(segment, limit: segment.range.upperBound - first)
    }

    private func judge(_ head: HTTPHead, _ fields: HeaderFields) -> Verdict {
        switch head.status {
        case 206:
            let wanted = Resumption(origin: part.origin, offset: first)
            if case .unfit(let what) = wanted.partial(head, fields) { return .unfit(what) }
            guard let field = fields.bytes("content-range"),
                ContentRange(field)?.range?.upperBound == segment.range.upperBound - 1
            else { return .unfit("another part than was asked for") }
            return .fits
        case 200...299, 301, 302, 303, 307, 308, 416: return .unfit("\(head.status) to a question for a part")
        default:
            return .status(ResponseHead(url: part.origin.answered, status: head.status, headers: fields))
        }
    }
}
