import Crawling
import Files
import HTTP
import Magic
package import Model
import Naming
import Reporting
import Storing
import Times
import URLs

/// What a run would do with one URL.
package enum PlanLine: Sendable {
    /// A page that was read.
    case page(url: String, reason: String)
    /// The name is what the URL and the link tell; the server's headers and the content may change it.
    case download(url: String, name: String, reason: String)
    case skip(url: String, reason: String)
    case failed(url: String, Failure)
}

/// Crawls a job's pages as a run does, and downloads nothing. The frontier lies in a catalog of its own, which goes
/// when the plan is told.
package struct Planner: Sendable {
    private let scratch: String
    private let root: String?
    private let options: RunOptions
    private let interruption: Interruption

    /// - Parameters:
    ///   - scratch: an empty folder that the caller removes.
    ///   - root: where the jars are that a run would use; without one that is there, none is kept.
    package init(scratch: String, root: String?, options: RunOptions, interruption: Interruption) {
        self.scratch = scratch
        self.root = root
        self.options = options
        self.interruption = interruption
    }

    /// Tells what a run of the job would do, line by line.
    /// - Returns: the exit status.
    package func plan(_ job: Job, tell: (PlanLine) throws -> Void) async throws -> Int32 {
        let store = try await Store.open(scratch)
        let network = try Network(for: [job], atOnce: 1)
        defer { network.engine.shutdown() }
        let started = currentTime()
        let identity = RunIdentity(
            id: makeRunID(at: started), job: job.name, manifestSHA256: job.manifestSHA256, started: started)
        let zone = try Zone(named: job.timezone)
        let run = try await store.catalog.begin(identity)
        let events = try await logOnly(identity, store)
        // Nothing is downloaded, so there is no content to ask.
        let namer = Namer(
            rules: job.naming, job: job.name, run: identity.id, runStart: identity.started, zone: zone,
            types: try MIMETypes(), sniffer: nil)
        let crawl = try await CrawlPass(
            job: job, identity: identity, run: run, zone: zone, namer: namer, store: store, network: network,
            events: events, environment: options.environment, interruption: interruption, isPlan: true,
            jars: try await jars(store)
        ).run()
        if let fault = await events.finish() { throw fault }
        let rules = CrawlPlan(
            crawl: job.crawl, download: job.download, starts: try startURLs(of: job, at: started, in: zone))
        let mask = ParameterMask(job.log.mask)
        var taken: Set<[UInt8]> = []
        let order = try await store.catalog.order(of: run)
        for start in stride(from: 0, to: order.count, by: 256) {
            let visits = try await store.catalog.visits(order[start..<min(start + 256, order.count)])
            for visit in visits {
                try tell(line(visit, rules, namer, sequence: start + 1, &taken).masked(by: mask))
            }
        }
        if let reason = interruption.reason { return reason.exitStatus }
        return crawl.startsReached == 0 ? 3 : 0
    }

    private func jars(_ store: Store) async throws -> Directory {
        guard let root, let folder = try? Directory(root).directory("cookies", create: true) else {
            return try await store.folder("cookies")
        }
        return folder
    }

    private func logOnly(_ identity: RunIdentity, _ store: Store) async throws -> RunEvents {
        let log = try EventLog(
            identity, in: try await store.folder("reports"), format: options.logFormat, isQuiet: true,
            printer: options.printError)
        return RunEvents([{ try await log.receive($0) }])
    }

    private func line(
        _ visit: Visit, _ rules: CrawlPlan, _ namer: Namer, sequence: Int, _ taken: inout Set<[UInt8]>
    ) -> PlanLine {
        guard let url = WebURL(visit.url) else { return .skip(url: visit.url, reason: "it is no URL") }
        switch visit.state {
        case .page:
            let reason = visit.referrer == nil ? "a start" : "in crawl.scope, \(visit.depth) from the start"
            return .page(url: url.displayed, reason: reason)
        case .final(.skipped) where visit.reason != CrawlLoop.planned:
            return .skip(url: url.displayed, reason: visit.reason ?? "")
        case .final(.failed):
            return .failed(url: url.displayed, visit.failure ?? Failure(.io, "no reason is known"))
        case .final, .fetched, .notModified:
            var facts = NameFacts(first: url, final: visit.finalURL.flatMap { WebURL($0) })
            facts.contentType = visit.contentType.map { Array($0.utf8) }
            facts.disposition = visit.disposition
            facts.charset = visit.charset
            facts.download = visit.download
            facts.text = visit.text
            facts.sequence = sequence
            let name = namer.propose(facts).resolved { taken.contains(Array($0.utf8)) }
            taken.insert(Array(name.folded.utf8))
            let reason =
                visit.referrer == nil
                ? "a start" : rules.inclusion(of: url, attribute: visit.download, type: visit.contentType)
            return .download(url: url.displayed, name: name.name, reason: reason)
        }
    }
}

extension PlanLine {
    fileprivate func masked(by mask: ParameterMask) -> PlanLine {
        switch self {
        case .page(let url, let reason): .page(url: mask.masked(url), reason: mask.masked(reason))
        case .download(let url, let name, let reason):
            .download(url: mask.masked(url), name: name, reason: mask.masked(reason))
        case .skip(let url, let reason): .skip(url: mask.masked(url), reason: mask.masked(reason))
        case .failed(let url, let failure):
            .failed(url: mask.masked(url), Failure(failure.code, mask.masked(failure.message)))
        }
    }
}
