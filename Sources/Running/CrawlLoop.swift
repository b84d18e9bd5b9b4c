import Crawling
import Fetching
import Files
import Model
import Storing
import Times
import URLs

/// The crawl-fetch loop, the only feedback in the flow: what pages link to is fetched, and may be pages again.
struct CrawlLoop: Sendable {
    let job: Job
    let run: RunNumber
    let store: Store
    let session: Session
    let inspector: Inspector
    let checksums: ChecksumGate
    /// Where downloads under way lie.
    let partial: Directory
    let robots: RobotsGate
    let plan: CrawlPlan
    let pages: PageReader
    let settler: Settler
    let events: RunEvents
    let interruption: Interruption
    /// Items are only listed, not fetched.
    let isPlan: Bool

    /// What the loop itself must know of how far it is.
    struct Progress {
        var pagesUnderWay = 0
        var pagesRead = 0
        var startsReached = 0
        var firstStartFailure: Failure?
        var growth: GrowthWatch
        var following: Following?
    }

    /// A page whose links are being taken in.
    struct Following {
        let visited: Visited
        let links: PageLinks
        let url: WebURL
        let page: Catalog.FoundOn
        let count: Int
        var rest: ArraySlice<Discovery>
        /// What the run did not know before.
        var new: [Discovery] = []
    }

    /// What came of the start URLs.
    struct Result: Sendable {
        /// Start URLs that could be read or downloaded.
        let startsReached: Int
        let firstStartFailure: Failure?
        /// The jar could not be written.
        var hasLostCookies = false
    }

    /// Fetches until nothing waits any more, or the task is cancelled.
    func run() async throws -> Result {
        var queue = FetchQueue(run: run, store: store, mostPages: job.crawl.pages)
        var progress = Progress(growth: GrowthWatch(most: job.crawl.trap))
        // Enough waits in the engine's own queues for it to choose fairly between hosts.
        let width = max(job.fetch.concurrency * 4, 64)
        let visit = { @Sendable (ready: FetchQueue.Ready) in try await self.visit(ready) }
        try await withThrowingTaskGroup(of: Visited.self) { group in
            var underWay = 0
            while true {
                while underWay < width, !Task.isCancelled,
                    let ready = try await queue.next(
                        pagesUnderWay: progress.pagesUnderWay, pagesRead: progress.pagesRead)
                {
                    if isPlan, ready.resource.purpose == .item { continue }
                    if let reason = trap(ready, progress) {
                        await settler.take(leftOut(ready, reason))
                        continue
                    }
                    if ready.resource.purpose != .item { progress.pagesUnderWay += 1 }
                    underWay += 1
                    group.addTask { try await visit(ready) }
                    // The first requests go out before the rest is thought about.
                    if underWay <= job.fetch.concurrency { await Task.yield() }
                }
                if progress.following != nil {
                    try await followOn(&progress)
                    queue.noteLinks()
                    continue
                }
                guard underWay > 0, let visited = try await group.next() else { return }
                underWay -= 1
                try await take(visited, &progress)
            }
        }
        return Result(startsReached: progress.startsReached, firstStartFailure: progress.firstStartFailure)
    }

    /// Why a page that waits is of a kind that has no end.
    private func trap(_ ready: FetchQueue.Ready, _ progress: Progress) -> String? {
        let isStart = ready.resource.referrer == nil
        return isStart || ready.resource.purpose == .item ? nil : progress.growth.reason(against: ready.url)
    }

    private func leftOut(_ ready: FetchQueue.Ready, _ reason: String) -> FetchResult {
        var result = FetchResult(
            request: request(ready), outcome: .unwanted(reason: reason), started: currentTime())
        result.attempts = 0
        return result
    }

    private func request(_ ready: FetchQueue.Ready) -> FetchRequest {
        let resource = ready.resource
        var request = FetchRequest(
            id: resource.id, url: ready.url, purpose: resource.purpose,
            referrer: resource.referrer.flatMap { WebURL($0) })
        request.isStart = resource.referrer == nil
        request.known = resource.content
        request.knownName = resource.name
        request.download = resource.download
        request.charset = resource.charset
        if ready.isHeld {
            request.validators = resource.validators
            request.validated = resource.finalURL.flatMap { WebURL($0) }
        }
        return request
    }

    struct Visited: Sendable {
        let resource: QueuedResource
        var result: FetchResult
        var links: PageLinks?
        /// The page's encoding, where names that its servers send may be in it.
        var charset: String?
    }

    private func visit(_ ready: FetchQueue.Ready) async throws -> Visited {
        let resource = ready.resource
        let url = ready.url
        let request = request(ready)
        if isRecent(ready) {
            var result = FetchResult(request: request, outcome: .unchanged, started: currentTime())
            result.attempts = 0
            return Visited(resource: resource, result: result)
        }
        if let failure = session.failure {
            var result = FetchResult(
                request: request, outcome: .failed(failure, refused: nil), started: currentTime())
            result.attempts = 0
            return Visited(resource: resource, result: result)
        }
        if let refusal = await robots.refusal(of: url, isStart: request.isStart) {
            return Visited(resource: resource, result: refused(request, refusal))
        }
        await events.send(.fetching(request))
        let result = await session.fetch(request, policy: policy(depth: resource.depth))
        var visited = Visited(resource: resource, result: result)
        if case .item(let part) = result.outcome { await readSource(part, &visited) }
        visited.result.outcome = await inspector.outcome(of: visited.result)
        visited.result.outcome = await checksums.outcome(of: visited.result)
        if case .page(let body) = visited.result.outcome, let head = result.head {
            let page = try await pages.read(body, head)
            guard page.links.kind != .other else {
                visited.result.outcome = .unwanted(reason: "no page, feed or sitemap by its content")
                return visited
            }
            (visited.links, visited.charset) = page
            if request.isStart, visited.links?.kind == .html { await addSitemaps(of: url, &visited) }
            // A page's body is not needed once its links are known.
            visited.result.outcome = .page(body: [])
        }
        return visited
    }

    /// A start page also leads to the sitemaps that its site's robots.txt names, as if it linked to them at its end.
    private func addSitemaps(of url: WebURL, _ visited: inout Visited) async {
        guard job.crawl.sitemaps else { return }
        for sitemap in await robots.sitemaps(of: url) {
            var link = Link(url: sitemap, source: "robots[sitemap]")
            link.isSource = true
            visited.links?.links.append(link)
        }
    }

    /// What was seen within `fetch.max-age` is not asked for again.
    private func isRecent(_ ready: FetchQueue.Ready) -> Bool {
        guard ready.isHeld, ready.resource.purpose == .item, job.fetch.maxAge > .zero, let seen = ready.resource.seen
        else { return false }
        let age = currentTime() - seen
        return age >= 0 && age < job.fetch.maxAge / .seconds(1)
    }

    /// Reads what came as an item for links where its content is that of a feed, a sitemap or a list of URLs.
    private func readSource(_ part: PartFile, _ visited: inout Visited) async {
        let request = visited.result.request
        guard let head = visited.result.head, plan.mayBeSource(head, to: request) else { return }
        if pages.extractor.mayBeSource(beginning: part.prefix, url: head.url, contentType: head.contentType),
            let body = await store.take(part, from: partial, limit: LinkExtractor.mostDecoded)
        {
            visited.result.outcome = .page(body: body)
        } else if isPlan {
            visited.result.outcome = .unwanted(reason: Self.planned)
        }
    }

    /// A start that the site's owner does not want leaves the job without work, which must not pass in silence.
    private func refused(_ request: FetchRequest, _ refusal: RobotsGate.Refusal) -> FetchResult {
        let outcome: FetchOutcome =
            switch refusal {
            case .disallowed(let reason) where request.isStart: .failed(Failure(.robots, reason), refused: nil)
            case .disallowed(let reason): .unwanted(reason: reason)
            case .unreachable(let failure): .failed(failure, refused: nil)
            }
        return FetchResult(request: request, outcome: outcome, started: currentTime())
    }

    private func policy(depth: Int) -> FetchPolicy {
        let (plan, isPlan) = (plan, isPlan)
        return FetchPolicy(
            hop: { url, purpose in plan.refusal(ofRedirectTo: url, for: purpose) },
            head: { head, request in
                let verdict = plan.verdict(for: head, to: request, depth: depth)
                if isPlan, case .item = verdict, !plan.mayBeSource(head, to: request) { return .unwanted(Self.planned) }
                return verdict
            },
            maxItemBytes: job.download.maxSize)
    }

    /// The reason that stands for "would be downloaded" in a plan.
    static let planned = "would be downloaded"

    private func take(_ visited: Visited, _ progress: inout Progress) async throws {
        var visited = visited
        if visited.result.received > 0 { await events.send(.received(bytes: visited.result.received)) }
        if case .page = visited.result.outcome, progress.pagesRead >= job.crawl.pages {
            visited.result.outcome = .unwanted(reason: "more pages than crawl.pages allows (\(job.crawl.pages))")
        }
        if visited.result.request.isStart { count(visited.result, &progress) }
        switch visited.result.outcome {
        case .page:
            progress.pagesRead += 1
            if follow(visited, &progress) { return }
        case .failed(let failure, _):
            if failure.code == .diskFull { interruption.stop(.diskFull(failure.message)) }
            // What was broken off because the run ends is no fault of its own.
            if failure.code == .cancelled {
                visited.result.outcome = .unwanted(reason: interruption.reason?.message ?? failure.message)
            } else if visited.result.request.purpose == .item {
                await events.send(.itemFailed(url: visited.result.request.url, failure))
            } else {
                await events.send(.pageFailed(url: visited.result.request.url, failure))
            }
        case .item, .unchanged:
            // What a link said was counted on its page.
            if visited.result.request.purpose != .item, let page = visited.result.request.referrer {
                progress.growth.foundItem(on: page)
            }
        case .unwanted: break
        }
        await end(visited, &progress)
    }

    func end(_ visited: Visited, _ progress: inout Progress) async {
        if visited.resource.purpose != .item { progress.pagesUnderWay -= 1 }
        await settler.take(visited.result)
    }

    private func count(_ result: FetchResult, _ progress: inout Progress) {
        if case .failed(let failure, _) = result.outcome {
            progress.firstStartFailure = progress.firstStartFailure ?? failure
        } else {
            progress.startsReached += 1
        }
    }
}
