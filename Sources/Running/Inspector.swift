import Containers
import Crawling
import Files
import Lanes
import Magic
import Model
import Naming
import URLs

/// Looks at what was downloaded before it may become an object: a page where a document was expected, and, where the
/// job asks for the test, a file that is cut or damaged, end as failed items.
struct Inspector: Sendable {
    private let plan: CrawlPlan
    private let test: DownloadTest?
    private let namer: Namer
    private let partial: Directory
    private let events: RunEvents
    private let interruption: Interruption
    private let lanes: LanePool

    init(
        plan: CrawlPlan, test: DownloadTest?, namer: Namer, partial: Directory, events: RunEvents,
        interruption: Interruption
    ) throws {
        self.plan = plan
        self.test = test
        self.namer = namer
        self.partial = partial
        self.events = events
        self.interruption = interruption
        // Decoding is bound by the processor; more threads would only take turns with the crawl.
        lanes = try LanePool("inspect", threads: 2)
    }

    /// What becomes of a fetch once its content was looked at; refused content is kept for quarantine.
    func outcome(of result: FetchResult) async -> FetchOutcome {
        guard case .item(let part) = result.outcome, let head = result.head else { return result.outcome }
        do {
            if let failure = try await failure(part, result.request, head) {
                return .failed(failure, refused: part)
            }
            return result.outcome
        } catch {
            let code: ErrorCode = interruption.reason == nil ? .io : .cancelled
            return .failed(
                Failure(code, "the content of \(head.url.displayed) could not be looked at: \(error)"), refused: nil)
        }
    }

    private func facts(_ part: PartFile, _ request: FetchRequest, _ head: ResponseHead) -> NameFacts {
        var facts = NameFacts(first: request.url, final: head.url)
        facts.download = request.download
        facts.charset = request.charset
        facts.contentType = head.headers.bytes("content-type")
        facts.disposition = head.headers.bytes("content-disposition")
        facts.prefix = part.prefix
        return facts
    }

    private func failure(_ part: PartFile, _ request: FetchRequest, _ head: ResponseHead) async throws -> Failure? {
        let namer = namer
        let facts = facts(part, request, head)
        if plan.rejectsByContent, let type = try await lanes.run({ namer.contentBehind(facts) }),
            let refusal = plan.refusal(ofContent: type, as: head)
        {
            return refusal
        }
        if looksLikeHTML(part.prefix), let refusal = plan.refusal(ofPageAs: head, to: request),
            try await lanes.run({ namer.propose(facts).isPageInstead })
        {
            return refusal
        }
        guard test == .container else { return nil }
        let (partial, interruption) = (partial, interruption)
        let verdict = try await lanes.run {
            let file = try partial.open(part.name)
            let test = ContainerTest { interruption.reason != nil }
            return try test.test(descriptor: file.number, expecting: namer.promisedExtension(facts))
        }
        switch verdict {
        case .whole, .untested: return nil
        case .damaged(let reason):
            return Failure(
                .damaged,
                "\(head.url.displayed) is damaged: \(reason). Its body lies in quarantine; if it should be like this, "
                    + "leave out download.test.")
        case .cut(let reason):
            await events.warn("test-cut", "only a part could be tested: \(reason)", url: head.url.displayed)
            return nil
        }
    }
}
