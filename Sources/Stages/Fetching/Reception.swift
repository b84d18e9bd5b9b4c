import Codings
import Cookies
import HTTP
import Model
import Synchronization
import URLs

/// Decides by the head of one answer what becomes of its body, and remembers what it decided.
final class Reception: HTTPReceiver {
    enum Decision: Sendable {
        case redirect
        /// A page's body, in the codings that are to be taken off it.
        case page([ContentCoding])
        case item(PartSink)
        /// The item is to be fetched in ranges.
        case segments(PartOrigin)
        /// All of the item is there already.
        case complete(PartSink)
        /// What was to be gone on with is of no use.
        case startOver(String)
        case unchanged
        case unwanted(String)
        /// Kept for quarantine.
        case rejected(Failure, PartSink)
        case status
        case failed(Failure)

        /// Where the body goes.
        var sink: PartSink? {
            switch self {
            case .item(let sink), .complete(let sink), .rejected(_, let sink): sink
            default: nil
            }
        }
    }

    private let request: FetchRequest
    private let url: WebURL
    private let policy: FetchPolicy
    /// The beginning of the body, whose rest was asked for.
    private let kept: (sink: PartSink, resumption: Resumption)?
    /// Ranges that a large item may be fetched in.
    private let segments: Int
    private let cookies: CookieStore?
    private let turn: CookieStore.Turn?
    private let whenEnded: @Sendable (ResponseHead?) -> Void
    private let makeSink: @Sendable () -> PartSink
    private let decided = Mutex<(decision: Decision, head: ResponseHead)?>(nil)

    /// A body that is not wanted is still read up to this, so that its connection can be used again.
    private static let worthReading: Int64 = 64 << 10
    /// As much of a refused body as a person will want to look at.
    private static let quarantined: Int64 = 1 << 20

    init(
        _ request: FetchRequest, url: WebURL, policy: FetchPolicy,
        kept: (sink: PartSink, resumption: Resumption)? = nil, segments: Int = 1, cookies: CookieStore? = nil,
        turn: CookieStore.Turn? = nil, whenEnded: @escaping @Sendable (ResponseHead?) -> Void = { _ in },
        makeSink: @escaping @Sendable () -> PartSink
    ) {
        self.kept = kept
        self.cookies = cookies
        self.turn = turn
        self.request = request
        self.url = url
        self.policy = policy
        self.whenEnded = whenEnded
        self.makeSink = makeSink
        self.segments = segments
    }

    /// Nil while no head has come.
    var result: (decision: Decision, head: ResponseHead)? { decided.withLock { $0 } }

    func ended() { whenEnded(result?.head) }

    func head(_ head: HTTPHead) -> BodyPlan {
        let fields = HeaderFields(lowercased: head.fields.map { ($0.name, $0.value) })
        var response = ResponseHead(url: url.withoutUserinfo.withoutFragment, status: head.status, headers: fields)
        // Before the body comes, so that what is asked for meanwhile is asked for with them.
        if let cookies, let turn { cookies.receive(fields.all("set-cookie"), from: url, turn: turn) }
        let decision: Decision
        (decision, response) = decide(response, head)
        decided.withLock { $0 = (decision, response) }
        switch decision {
        case .redirect, .status, .complete: return .discard(reading: Self.worthReading)
        case .page: return .collect(limit: policy.maxPageBytes)
        case .item(let sink):
            let offset = response.status == 206 ? kept?.resumption.offset ?? 0 : 0
            return .stream(sink, limit: policy.maxItemBytes.map { max($0 - offset, 0) })
        case .rejected(_, let sink): return .stream(sink, limit: Self.quarantined, cuts: true)
        case .unchanged, .unwanted, .failed, .startOver, .segments: return .discard(reading: 0)
        }
    }

    private func decide(_ head: ResponseHead, _ raw: HTTPHead) -> (Decision, ResponseHead) {
        let host = url.host ?? ""
        switch head.status {
        case 301, 302, 303, 307, 308: return (.redirect, head)
        case 304 where !request.validators.isEmpty: return (.unchanged, head)
        case 204, 205:
            return (.failed(Failure(status: head.status, host: host, note: ", where a body was expected")), head)
        case 206, 416:
            if let kept { return goOn(kept.sink, kept.resumption, head, raw) }
            guard head.status == 206 else { return (.status, head) }
            let message = "\(host) answered 206 Partial Content, but no part was asked for"
            return (.failed(Failure(.protocolError, message)), head)
        case 200 where isKnown(head): return (.unchanged, head)
        case 200...299: return (judge(head, raw, host), head)
        default: return (.status, head)
        }
    }

    /// FTP and SFTP know no conditions: the tag tells before the first byte is taken.
    private func isKnown(_ head: ResponseHead) -> Bool {
        guard !url.isHTTP, let tag = head.headers["etag"] else { return false }
        return tag == request.validators.etag
    }

    private func judge(_ head: ResponseHead, _ raw: HTTPHead, _ host: String) -> Decision {
        switch policy.head(head, request) {
        case .page:
            do { return .page(try ContentCoding.list(head.headers.all("content-encoding"))) } catch {
                return .failed(Failure(.protocolError, "\(host) sent a page with \(error)"))
            }
        case .item:
            let codings: [ContentCoding]
            do { codings = try self.codings(head.headers) } catch {
                return .failed(Failure(.protocolError, "\(host) sent the file with \(error)"))
            }
            let origin = PartOrigin(head, total: raw.contentLength, to: request)
            if let origin = segmented(origin, head.headers) { return .segments(origin) }
            let sink = kept?.sink ?? makeSink()
            sink.begin(origin, claim: DigestClaim(head.headers), at: 0, codings: codings)
            return .item(sink)
        case .unwanted(let reason): return .unwanted(reason)
        case .rejected(let failure): return .rejected(failure, makeSink())
        }
    }

    /// The origin, where its body can be fetched in ranges: large enough, with a strong validator, from a server that says
    /// that it gives ranges.
    private func segmented(_ origin: PartOrigin?, _ headers: HeaderFields) -> PartOrigin? {
        guard segments > 1, kept == nil, url.isHTTP, var origin, let total = origin.total,
            total <= policy.maxItemBytes ?? .max, headers["accept-ranges"]?.lowercased() == "bytes"
        else { return nil }
        origin.segments = SegmentedPart.count(of: total, wanted: segments)
        return origin.segments > 1 ? origin : nil
    }

    /// The codings that are to be taken off an item.
    private func codings(_ headers: HeaderFields) throws(CodingError) -> [ContentCoding] {
        let codings = try ContentCoding.list(headers.all("content-encoding"))
        // Servers call `a.tar.gz` a tar that is coded; its coding is what the name promises.
        let path = url.path.lowercased()
        let isByName = codings == [.gzip] && [".gz", ".tgz", ".svgz"].contains { path.hasSuffix($0) }
        return isByName ? [] : codings
    }

    /// The answer to a request for the rest. The whole is judged by the head that its beginning came with.
    private func goOn(
        _ sink: PartSink, _ resumption: Resumption, _ head: ResponseHead, _ raw: HTTPHead
    ) -> (Decision, ResponseHead) {
        var origin = resumption.origin
        let answer =
            head.status == 206 ? resumption.partial(raw, head.headers) : resumption.unsatisfiable(head.headers)
        if case .rest(let total) = answer { origin.total = total }
        if case .unfit(let what) = answer { return (.startOver("\(url.host ?? "") sent \(what)"), head) }
        let whole = ResponseHead(url: head.url, status: 200, headers: origin.headers)
        var told = whole
        told.status = head.status
        switch policy.head(whole, request) {
        case .item:
            guard let codings = try? codings(origin.headers) else { return (.startOver("it is coded otherwise"), head) }
            sink.begin(origin, claim: DigestClaim(origin.headers), at: resumption.offset, codings: codings)
            if case .complete = answer { return (.complete(sink), told) }
            return (.item(sink), told)
        case .unwanted(let reason): return (.unwanted(reason), told)
        case .page, .rejected: return (.startOver("it is no item any more"), head)
        }
    }
}
