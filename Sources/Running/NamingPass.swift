import Lanes
import Model
import Naming
import Storing

/// Gives names to what a run downloaded, in the order (depth, order of the page, place on the page), and says the last
/// word on every visit. It runs when crawl and fetch have ended, so that no name depends on which server was faster.
struct NamingPass: Sendable {
    let job: Job
    let identity: RunIdentity
    let run: RunNumber
    let store: Store
    let events: RunEvents
    let interruption: Interruption
    let namer: Namer
    let lane: Lane

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
    /// How long names are still given once the run is told to end.
    private static let patience = Duration.seconds(5)

    func run() async throws {
        if job.naming.onChange == .replace { try await store.catalog.releaseReplaced(in: run) }
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
    struct Batch: Sendable {
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
    func postponed(_ visits: [Visit]) -> [Int64: Naming] {
        let unnamed = visits.filter { $0.known?.name == nil }.map { ($0.id, Naming.postponed) }
        return Dictionary(uniqueKeysWithValues: unnamed)
    }
}
