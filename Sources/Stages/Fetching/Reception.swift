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
        case unchanged
        case unwanted(String)
        /// Kept for quarantine.
        case rejected(Failure, PartSink)
        case status
        case failed(Failure)
    }

    private let request: FetchRequest
    private let url: WebURL
    private let policy: FetchPolicy
    private let makeSink: @Sendable () -> PartSink
    private let decided = Mutex<(decision: Decision, head: ResponseHead)?>(nil)

    /// A body that is not wanted is still read up to this, so that its connection can be used again.
    private static let worthReading: Int64 = 64 << 10
    /// As much of a refused body as a person will want to look at.
    private static let quarantined: Int64 = 1 << 20

    init(
        _ request: FetchRequest, url: WebURL, policy: FetchPolicy, makeSink: @escaping @Sendable () -> PartSink
    ) {
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
        let response = ResponseHead(url: url.withoutUserinfo.withoutFragment, status: head.status, headers: fields)
        let decision = decide(response)
        decided.withLock { $0 = (decision, response) }
        switch decision {
        case .redirect, .status: return .discard(reading: Self.worthReading)
        case .page: return .collect(limit: policy.maxPageBytes)
        case .item(let sink): return .stream(sink, limit: policy.maxItemBytes)
        case .rejected(_, let sink): return .stream(sink, limit: Self.quarantined, cuts: true)
        case .unchanged, .unwanted, .failed: return .discard(reading: 0)
        }
    }

    private func decide(_ head: ResponseHead) -> Decision {
        let host = url.host ?? ""
        switch head.status {
        case 301, 302, 303, 307, 308: return .redirect
        case 304 where !request.validators.isEmpty: return .unchanged
        case 204, 205:
            return .failed(Failure(status: head.status, host: host, note: ", where a body was expected"))
        case 206:
            return .failed(Failure(.protocolError, "\(host) answered 206 Partial Content, but no part was asked for"))
        case 200...299: return judge(head, host)
        default: return .status
        }
    }

    private func judge(_ head: ResponseHead, _ host: String) -> Decision {
        switch policy.head(head, request) {
        case .page:
            guard let coding = head.contentCoding else { return .page }
            return .failed(
                Failure(
                    .protocolError,
                    "\(host) sent a page coded as \(coding) although none was asked for; that is not supported yet"))
        case .item: return .item(makeSink())
        case .unwanted(let reason): return .unwanted(reason)
        case .rejected(let failure): return .rejected(failure, makeSink())
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
