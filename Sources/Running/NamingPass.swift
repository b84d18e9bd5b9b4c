import Digests
import Lanes
import Model
import Naming
import Storing
import Times
import URLs

/// Gives names to what a run downloaded, in the order (depth, order of the page, place on the page), and says the last
/// word on every visit. It runs when crawl and fetch have ended, so that no name depends on which server was faster.
struct NamingPass: Sendable {
    let job: Job
    let identity: RunIdentity
    let run: RunNumber
    let store: Store
    let events: RunEvents
    let interruption: Interruption
    private let namer: Namer
    private let lane: Lane

    init(
        job: Job, identity: RunIdentity, run: RunNumber, namer: Namer, store: Store, events: RunEvents,
        interruption: Interruption
    ) throws {
        self.job = job
        self.identity = identity
        self.run = run
        self.store = store
        self.events = events
        self.interruption = interruption
        lane = try Lane("name")
        self.namer = namer
    }

    private static let batch = 256
    /// How often another name is tried when the disk holds something under the last one.
    private static let mostTries = 200
    /// How long names are still given once the run is told to end.
    private static let patience = Duration.seconds(5)

    func run() async throws {
        let order = try await store.catalog.order(of: run)
        var deadline: ContinuousClock.Instant?
        var ready = try await prepare(order.prefix(Self.batch))
        var last: (visits: [Visit], namings: [Int64: Naming]) = ([], [:])
        while !ready.visits.isEmpty {
            if interruption.reason != nil, deadline == nil { deadline = .now + Self.patience }
            // Three batches are under way: one is thought about, one gets its names, one is told of.
            let (ids, named) = (order[ready.end...].prefix(Self.batch), last)
            let isLate = deadline.map { .now > $0 } ?? false
            async let next = prepare(ids, isLate: isLate)
            async let concluded: Void = conclude(named.visits, named.namings)
            last = (ready.visits, try await isLate ? postponed(ready.visits) : name(ready))
            try await concluded
            ready = try await next
        }
        try await conclude(last.visits, last.namings)
    }

    /// Visits in order, and what is proposed for those of them that are to get a name.
    private struct Batch: Sendable {
        let visits: [Visit]
        var unnamed: [Unnamed] = []
        var proposals: [ProposedName] = []
        /// Those known from a run that did not come to its end.
        var first: Set<Int64> = []
        /// Names that could not be given back.
        var lost: [Int64: Naming] = [:]
        /// Where the next batch begins.
        let end: Int
    }

    /// The order of the visits is also the number that `{seq}` stands for.
    /// - Parameter isLate: nothing gets a name any more, so none is thought about.
    private func prepare(_ ids: ArraySlice<Int64>, isLate: Bool = false) async throws -> Batch {
        var batch = Batch(visits: try await store.catalog.visits(ids), end: ids.endIndex)
        if isLate { return batch }
        batch.unnamed = try await unnamed(batch.visits, &batch.lost)
        let known = batch.unnamed.filter { !$0.resource.isNew }.map(\.visit.id)
        if !known.isEmpty { batch.first = try await store.catalog.firstToEnd(known) }
        guard !batch.unnamed.isEmpty else { return batch }
        let prefixes = await store.prefixes(of: batch.unnamed.map(\.resource.content), count: 4096)
        let namer = namer
        let facts = zip(batch.unnamed, prefixes).enumerated().map { index, pair in
            self.facts(pair.0, prefix: pair.1, sequence: ids.startIndex + index + 1)
        }
        batch.proposals = try await lane.run { facts.map { namer.propose($0) } }
        return batch
    }

    /// The next run gives these their names.
    private func postponed(_ visits: [Visit]) -> [Int64: Naming] {
        let unnamed = visits.filter { $0.known?.name == nil }.map { ($0.id, Naming.postponed) }
        return Dictionary(uniqueKeysWithValues: unnamed)
    }

    /// A name, or why there is none.
    private enum Naming {
        case named(ChosenName, ProposedName, isNamed: Bool, isNew: Bool)
        case failed(Failure)
        case postponed
    }

    private struct Proposal {
        let name: ProposedName
        let modified: Double?
        /// The job had nothing of the URL before.
        let isNew: Bool
    }

    private func name(_ batch: Batch) async throws -> [Int64: Naming] {
        var namings = batch.lost
        var wishes = zip(batch.unnamed, batch.proposals).map { one, proposal in
            NameWish(visit: one.visit.id, content: one.resource.content, isFirst: one.resource.isNew) {
                proposal.alternative($0)
            }
        }
        let proposed = Dictionary(
            uniqueKeysWithValues: zip(batch.unnamed, batch.proposals).map {
                let isNew = $0.resource.isNew || batch.first.contains($0.visit.id)
                return ($0.visit.id, Proposal(name: $1, modified: $0.modified, isNew: isNew))
            })
        var rounds = 0
        while !wishes.isEmpty {
            rounds += 1
            if rounds > Self.mostTries {
                let failure = Failure(
                    .io, "\(Self.mostTries) names were tried, and files/\(job.name) holds something else under each")
                for wish in wishes { namings[wish.visit] = .failed(failure) }
                break
            }
            let again = try await place(wishes, proposed, &namings)
            wishes = wishes.compactMap { wish in
                again[wish.visit].map { step in
                    var next = wish
                    switch step {
                    case .number(let number): next.first = number
                    case .folder: next.marks += 1
                    }
                    return next
                }
            }
        }
        return namings
    }

    /// What to try after a name that the disk did not take.
    private enum NextTry {
        case number(Int)
        case folder
    }

    /// Chooses names, gives them to the files, and records what the files have.
    /// - Returns: the visits whose name is something else's on the disk.
    private func place(
        _ wishes: [NameWish], _ proposed: [Int64: Proposal], _ namings: inout [Int64: Naming]
    ) async throws -> [Int64: NextTry] {
        let chosen = try await store.catalog.choose(
            wishes, for: job.name, replacing: job.naming.onChange == .replace)
        let toPlace = chosen.filter { job.dedupe != .skip || $0.duplicateOf == nil }
        try await store.catalog.announce(toPlace, for: job.name)
        let placements = await store.place(toPlace, of: job.name, copies: job.dedupe == .off)
        let placed = Dictionary(uniqueKeysWithValues: zip(toPlace.map(\.visit), placements))
        var again: [Int64: NextTry] = [:]
        var given: [GivenName] = []
        for name in chosen {
            guard let proposal = proposed[name.visit] else { continue }
            switch placed[name.visit] {
            case .taken: again[name.visit] = .number(name.number + 1)
            case .blocked: again[name.visit] = .folder
            case .failed(let failure): namings[name.visit] = .failed(failure)
            case .placed, nil:
                let isNamed = placed[name.visit] != nil
                namings[name.visit] = .named(
                    name, proposal.name, isNamed: isNamed, isNew: proposal.isNew)
                given.append(
                    GivenName(
                        chosen: name, isNamed: isNamed, extension: proposal.name.extension,
                        extensionSource: proposal.name.extensionSource,
                        modified: proposal.modified ?? identity.started))
            }
        }
        try await store.catalog.record(given, of: run)
        return again
    }

    private struct Unnamed: Sendable {
        let visit: Visit
        let url: WebURL
        let resource: KnownResource

        /// Seconds since 1970.
        var modified: Double? { resource.lastModified.flatMap { HTTPDate.parse($0) } ?? visit.started }
    }

    /// Visits with content that has no name yet, or whose name somebody removed.
    private func unnamed(_ visits: [Visit], _ namings: inout [Int64: Naming]) async throws -> [Unnamed] {
        let withContent = visits.compactMap { visit -> Unnamed? in
            guard [.fetched, .notModified].contains(visit.state), let resource = visit.known,
                let url = WebURL(visit.url)
            else { return nil }
            return Unnamed(visit: visit, url: url, resource: resource)
        }
        let named = withContent.compactMap { one in one.resource.name.map { (name: $0, content: one.resource.content) }
        }
        var present = await store.present(named, of: job.name, copies: job.dedupe == .off)[...]
        let lost = withContent.filter { $0.resource.name != nil && present.popFirst() == false }
        try await restore(lost, &namings)
        return withContent.filter { $0.resource.name == nil && $0.resource.duplicateOf == nil }
    }

    /// Gives content back the names that the catalog says it has; an item whose name cannot be had is a failed one.
    private func restore(_ lost: [Unnamed], _ namings: inout [Int64: Naming]) async throws {
        guard !lost.isEmpty else { return }
        let names = lost.map { (name: $0.resource.name ?? "", content: $0.resource.content) }
        let restorations = await store.restore(
            names, of: job.name, copies: job.dedupe == .off, at: currentTime())
        for (one, restoration) in zip(lost, restorations) {
            let name = "files/\(job.name)/\(one.resource.name ?? "")"
            switch restoration {
            case .restored: break
            case .replaced:
                await events.warn(
                    "name-lost",
                    "\(name) was changed by somebody: what it was lies in quarantine/\(job.name) for a week, "
                        + "the archived content has the name again")
            case .failed(let failure):
                namings[one.visit.id] = .failed(
                    Failure(
                        failure.code,
                        "\(name) is missing or changed, and could not be restored: \(failure.message); move away what "
                            + "stands there"))
            }
        }
    }

    private func facts(_ one: Unnamed, prefix: [UInt8]?, sequence: Int) -> NameFacts {
        let (visit, resource) = (one.visit, one.resource)
        var facts = NameFacts(first: one.url, final: resource.finalURL.flatMap { WebURL($0) })
        facts.contentType = resource.contentType.map { Array($0.utf8) }
        facts.disposition = resource.disposition
        facts.charset = visit.charset
        facts.download = visit.download
        facts.text = visit.text
        facts.prefix = prefix
        facts.sha256 = resource.content.sha256
        facts.modified = resource.lastModified.flatMap { HTTPDate.parse($0) }
        facts.downloaded = visit.started
        facts.sequence = sequence
        return facts
    }

    // MARK: - The last word

    private func conclude(_ visits: [Visit], _ namings: [Int64: Naming]) async throws {
        var conclusions: [(visit: Int64, status: ItemStatus, name: String?)] = []
        for visit in visits where visit.state != .page {
            let record = record(visit, namings[visit.id])
            conclusions.append((visit.id, record.status, record.name))
            if record.status == .duplicate, job.dedupe != .off, let bytes = record.bytes {
                await events.send(.deduplicated(bytes: bytes))
            }
            if case .failed? = namings[visit.id], let error = record.error, let url = WebURL(visit.url) {
                await events.send(.itemFailed(url: url, error))
            }
            await events.send(.item(record))
        }
        try await store.catalog.conclude(conclusions)
    }

    private func record(_ visit: Visit, _ naming: Naming?) -> ItemRecord {
        var record = ItemRecord(visit)
        if [.fetched, .notModified].contains(visit.state), let resource = visit.known {
            describe(&record, visit.state, resource, naming)
        }
        return record
    }

    private func describe(
        _ record: inout ItemRecord, _ state: Visit.State, _ resource: KnownResource, _ naming: Naming?
    ) {
        switch naming {
        case nil:
            record.status = .unchanged
            record.name = resource.name
            record.extension = resource.extension
            record.extensionSource = resource.extensionSource
            record.duplicateOf = resource.duplicateOf
        case .failed(let failure):
            record.status = .failed
            record.error = failure
        case .postponed:
            record.status = .skipped
            record.reason = "downloaded, but the run ended before it got its name; the next run gives it one"
        case .named(let chosen, let proposal, let isNamed, let isNew):
            // What was adopted, or came in a run that was killed, has its first name now although nothing came.
            let isOld = state == .notModified
            record.status = chosen.duplicateOf != nil ? .duplicate : isOld ? .unchanged : .downloaded
            record.name = isNamed ? chosen.name : nil
            record.extension = proposal.extension
            record.extensionSource = proposal.extensionSource
            record.duplicateOf = chosen.duplicateOf
            record.change = isNew ? .new : .changed
        }
    }
}
