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
        var chosen: Choice?
        var placed: Placed?
        while !ready.visits.isEmpty || chosen != nil || placed != nil {
            if interruption.reason != nil, deadline == nil { deadline = .now + Self.patience }
            let isLate = deadline.map { .now > $0 } ?? false
            if let refused = placed, !refused.isWhole {
                // What the disk did not take was wrong to count on.
                try await conclude(refused)
                placed = nil
                await store.catalog.forgetHints()
                if let batch = chosen?.batch { chosen = try await choose(batch, isLate: isLate) }
                continue
            }
            // Four batches are under way: one is thought about, one has its names chosen, one gets them, and of one it
            // is recorded and told.
            let (ids, batch, choice, last) = (order[ready.end...].prefix(Self.batch), ready, chosen, placed)
            async let next = prepare(ids, isLate: isLate)
            async let nextChoice = choose(batch, besides: [last?.names, choice?.names], isLate: isLate)
            async let concluded: Void = conclude(last)
            placed = try await place(choice)
            chosen = try await nextChoice
            try await concluded
            ready = try await next
        }
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
        let (namer, store, unnamed) = (namer, store, batch.unnamed)
        batch.proposals = try await lane.run {
            unnamed.enumerated().map { index, one in
                var facts = one.facts
                facts.prefix = store.beginning(of: one.resource.content, count: 4096)
                facts.sequence = ids.startIndex + index + 1
                return namer.propose(facts)
            }
        }
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

    private struct Proposal: Sendable {
        let name: ProposedName
        /// Seconds since 1970.
        let modified: Double?
        let contentType: String?
        /// The job had nothing of the URL before.
        let isNew: Bool
    }

    /// A batch and the names that it is to get.
    private struct Choice: Sendable {
        let batch: Batch
        let isLate: Bool
        /// By visit.
        var proposals: [Int64: Proposal] = [:]
        var wishes: [NameWish] = []
        /// One for each wish.
        var names: [ChosenName] = []
    }

    /// - Parameter earlier: names that are not recorded yet, but will be.
    private func choose(_ batch: Batch, besides earlier: [[ChosenName]?] = [], isLate: Bool) async throws -> Choice? {
        if batch.visits.isEmpty { return nil }
        var choice = Choice(batch: batch, isLate: isLate)
        if isLate || batch.unnamed.isEmpty { return choice }
        for (one, proposal) in zip(batch.unnamed, batch.proposals) {
            choice.wishes.append(
                NameWish(for: one.visit, content: one.resource.content, isFirst: one.resource.isNew) {
                    proposal.alternative($0)
                })
            choice.proposals[one.visit.id] = Proposal(
                name: proposal, modified: one.modified, contentType: one.resource.contentType,
                isNew: one.resource.isNew || batch.first.contains(one.visit.id))
        }
        choice.names = try await choose(choice.wishes, besides: earlier.flatMap { $0 ?? [] })
        return choice
    }

    private func choose(_ wishes: [NameWish], besides earlier: [ChosenName] = []) async throws -> [ChosenName] {
        try await store.catalog.choose(
            wishes, for: job.name, replacing: job.naming.onChange == .replace, besides: earlier.filter(isGiven))
    }

    /// False when `dedupe: skip` leaves a duplicate without a name of its own.
    private func isGiven(_ name: ChosenName) -> Bool { job.dedupe != .skip || name.duplicateOf == nil }

    /// A batch and what the disk made of its names.
    private struct Placed: Sendable {
        let choice: Choice
        var wishes: [NameWish]
        var names: [ChosenName]
        /// By visit.
        var placements: [Int64: Placement] = [:]

        /// The disk took every name.
        var isWhole: Bool { placements.values.allSatisfy { $0 == .placed } }
    }

    private func place(_ choice: Choice?) async throws -> Placed? {
        guard let choice else { return nil }
        var placed = Placed(choice: choice, wishes: choice.wishes, names: choice.names)
        try await place(&placed)
        return placed
    }

    private func place(_ placed: inout Placed) async throws {
        let names = placed.names.filter(isGiven)
        if names.isEmpty { return placed.placements = [:] }
        try await store.catalog.announce(names, for: job.name, batch: placed.choice.batch.end)
        let placements = await store.place(names, of: job.name, copies: job.dedupe == .off)
        placed.placements = Dictionary(uniqueKeysWithValues: zip(names.map(\.visit), placements))
    }

    /// Records what the disk took, gives other names to the rest, and tells of the whole batch.
    private func conclude(_ placed: Placed?) async throws {
        guard var placed else { return }
        let (batch, isLate) = (placed.choice.batch, placed.choice.isLate)
        var namings = isLate ? postponed(batch.visits) : batch.lost
        var (given, again) = given(placed, &namings)
        for _ in 1..<Self.mostTries where !again.isEmpty {
            try await store.catalog.record(given, of: run, batch: batch.end)
            placed.wishes = again
            placed.names = try await choose(again)
            try await place(&placed)
            (given, again) = self.given(placed, &namings)
        }
        for wish in again {
            namings[wish.visit] = .failed(
                Failure(
                    .io, "\(Self.mostTries) names were tried, and files/\(job.name) holds something else under each"))
        }
        let told = batch.visits.filter { $0.state != .page }.map { ($0, record($0, namings[$0.id])) }
        try await store.catalog.record(
            given, of: run, batch: batch.end,
            concluding: told.compactMap { visit, record in
                visit.conclusion == record.status ? nil : (visit.id, record.status, record.name)
            })
        for (visit, record) in told { await tell(visit, record, namings[visit.id]) }
    }

    /// What the files have, and what is to be tried for visits whose name is something else's on the disk.
    private func given(
        _ placed: Placed, _ namings: inout [Int64: Naming]
    ) -> (given: [GivenName], again: [NameWish]) {
        var again: [NameWish] = []
        var given: [GivenName] = []
        for (wish, name) in zip(placed.wishes, placed.names) {
            guard let proposal = placed.choice.proposals[name.visit] else { continue }
            let placement = placed.placements[name.visit]
            switch placement {
            case .taken, .blocked:
                var next = wish
                if placement == .taken { next.first = name.number + 1 } else { next.marks += 1 }
                again.append(next)
            case .failed(let failure): namings[name.visit] = .failed(failure)
            case .placed, nil:
                let isNamed = placement != nil
                namings[name.visit] = .named(name, proposal.name, isNamed: isNamed, isNew: proposal.isNew)
                given.append(
                    GivenName(
                        chosen: name, isNamed: isNamed, extension: proposal.name.extension,
                        extensionSource: proposal.name.extensionSource,
                        modified: proposal.modified ?? identity.started, contentType: proposal.contentType))
            }
        }
        return (given, again)
    }

    /// A box, since it goes from hand to hand.
    private final class Unnamed: Sendable {
        let visit: Visit
        let url: WebURL
        let resource: KnownResource

        init(_ visit: Visit, _ url: WebURL, _ resource: KnownResource) {
            self.visit = visit
            self.url = url
            self.resource = resource
        }

        /// Seconds since 1970.
        var modified: Double? { resource.lastModified.flatMap { HTTPDate.parse($0) } ?? visit.started }

        var facts: NameFacts {
            let final = resource.finalURL.flatMap { $0 == visit.url ? url : WebURL($0) }
            var facts = NameFacts(first: url, final: final)
            facts.contentType = resource.contentType.map { Array($0.utf8) }
            facts.disposition = resource.disposition
            facts.charset = visit.charset
            facts.download = visit.download
            facts.text = visit.text
            facts.sha256 = resource.content.sha256
            facts.modified = resource.lastModified.flatMap { HTTPDate.parse($0) }
            facts.downloaded = visit.started
            return facts
        }
    }

    /// Visits with content that has no name yet, or whose name somebody removed.
    private func unnamed(_ visits: [Visit], _ namings: inout [Int64: Naming]) async throws -> [Unnamed] {
        let withContent = visits.compactMap { visit -> Unnamed? in
            guard [.fetched, .notModified].contains(visit.state), let resource = visit.known,
                let url = WebURL(visit.url)
            else { return nil }
            return Unnamed(visit, url, resource)
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

    // MARK: - The last word

    private func tell(_ visit: Visit, _ record: ItemRecord, _ naming: Naming?) async {
        if record.status == .duplicate, job.dedupe != .off, let bytes = record.bytes {
            await events.send(.deduplicated(bytes: bytes))
        }
        if case .failed? = naming, let error = record.error, let url = WebURL(visit.url) {
            await events.send(.itemFailed(url: url, error))
        }
        await events.send(.item(record))
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
