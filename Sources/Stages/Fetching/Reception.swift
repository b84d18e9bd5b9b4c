import HTTP
import Model
import Synchronization
import URLs

/// Decides by the head of one answer what becomes of its body, and remembers what it decided.
final class Reception: HTTPReceiver {
    enum Decision: Sendable {
        case redirect
        case page
        case item(PartSink)
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
    private let makeSink: @Sendable () -> PartSink
    private let decided = Mutex<(decision: Decision, head: ResponseHead)?>(nil)

    /// A body that is not wanted is still read up to this, so that its connection can be used again.
    private static let worthReading: Int64 = 64 << 10
    /// As much of a refused body as a person will want to look at.
    private static let quarantined: Int64 = 1 << 20

    init(
        _ request: FetchRequest, url: WebURL, policy: FetchPolicy,
        kept: (sink: PartSink, resumption: Resumption)? = nil, makeSink: @escaping @Sendable () -> PartSink
    ) {
        self.kept = kept
        self.request = request
        self.url = url
        self.policy = policy
        self.makeSink = makeSink
    }

    /// Nil while no head has come.
    var result: (decision: Decision, head: ResponseHead)? { decided.withLock { $0 } }

    func head(_ head: HTTPHead) -> BodyPlan {
        var fields = HeaderFields()
        for field in head.fields { fields.append(name: field.name, value: field.value) }
        var response = ResponseHead(url: url.withoutUserinfo.withoutFragment, status: head.status, headers: fields)
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
        case .unchanged, .unwanted, .failed, .startOver: return .discard(reading: 0)
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
        case 200...299: return (judge(head, raw, host), head)
        default: return (.status, head)
        }
    }

    private func judge(_ head: ResponseHead, _ raw: HTTPHead, _ host: String) -> Decision {
        switch policy.head(head, request) {
        case .page:
            guard let coding = head.contentCoding else { return .page }
            return .failed(
                Failure(
                    .protocolError,
                    "\(host) sent a page coded as \(coding) although none was asked for; that is not supported yet"))
        case .item:
            if let coding = head.contentCoding, !isCodedByName(coding) {
                return .failed(
                    Failure(
                        .protocolError,
                        "\(host) sent the file coded as \(coding) although none was asked for; that is not supported yet"
                    ))
            }
            let sink = kept?.sink ?? makeSink()
            let origin = PartOrigin(head, total: raw.contentLength, to: request)
            sink.begin(origin, claim: DigestClaim(head.headers), at: 0)
            return .item(sink)
        case .unwanted(let reason): return .unwanted(reason)
        case .rejected(let failure): return .rejected(failure, makeSink())
        }
    }

    /// Servers call `a.tar.gz` a tar that is coded; its coding is what the name promises.
    private func isCodedByName(_ coding: String) -> Bool {
        let path = url.path.lowercased()
        return ["gzip", "x-gzip"].contains(coding) && [".gz", ".tgz", ".svgz"].contains { path.hasSuffix($0) }
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
            sink.begin(origin, claim: DigestClaim(origin.headers), at: resumption.offset)
            if case .complete = answer { return (.complete(sink), told) }
            return (.item(sink), told)
        case .unwanted(let reason): return (.unwanted(reason), told)
        case .page, .rejected: return (.startOver("it is no item any more"), head)
        }
    }
}

extension ResponseHead {
    /// The content coding (RFC 9110, 8.4) other than identity, with nothing that a terminal obeys in it.
    fileprivate var contentCoding: String? {
        let codings = headers.all("content-encoding").flatMap { $0.split(separator: UInt8(ascii: ",")) }
            .map { String(decoding: $0.filter { $0 > 0x20 && $0 < 0x7f }.prefix(20), as: UTF8.self).lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
        return codings.isEmpty ? nil : codings.prefix(6).joined(separator: ", ")
    }
}
