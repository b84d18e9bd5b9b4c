import Model
import Naming
import Storing

/// A batch of names on its way: chosen, given to the files, recorded.
extension NamingPass {
    /// How often another name is tried when the disk holds something under the last one.
    private static let mostTries = 200

    /// A name, or why there is none.
    enum Naming {
        case named(ChosenName, ProposedName, isNamed: Bool, isNew: Bool)
        case failed(Failure)
        case postponed
    }

    struct Proposal: Sendable {
        let name: ProposedName
        /// Seconds since 1970.
        let modified: Double?
        let contentType: String?
        /// The job had nothing of the URL before.
        let isNew: Bool
    }

    /// A batch and the names that it is to get.
    struct Choice: Sendable {
        let batch: Batch
        let isLate: Bool
        /// By visit.
        var proposals: [Int64: Proposal] = [:]
        var wishes: [NameWish] = []
        /// One for each wish.
        var names: [ChosenName] = []
    }

    /// - Parameter earlier: names that are not recorded yet, but will be.
    func choose(_ batch: Batch, besides earlier: [[ChosenName]?] = [], isLate: Bool) async throws -> Choice? {
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
            wishes, for: job.name, replacingIn: job.naming.onChange == .replace ? run : nil,
            besides: earlier.filter(isGiven))
    }

    /// False when `dedupe: skip` leaves a duplicate without a name of its own.
    private func isGiven(_ name: ChosenName) -> Bool { job.dedupe != .skip || name.duplicateOf == nil }

    /// A batch and what the disk made of its names.
    struct Placed: Sendable {
        let choice: Choice
        var wishes: [NameWish]
        var names: [ChosenName]
        /// By visit.
        var placements: [Int64: Placement] = [:]

        /// The disk took every name.
        var isWhole: Bool { placements.values.allSatisfy { $0 == .placed } }
    }

    func place(_ choice: Choice?) async throws -> Placed? {
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
    func conclude(_ placed: Placed?) async throws {
        guard var placed else { return }
        let (batch, isLate) = (placed.choice.batch, placed.choice.isLate)
        var namings = isLate ? postponed(batch.visits) : batch.lost
        let wanted = placed.names
        var (given, again) = given(placed, &namings)
        for _ in 1..<Self.mostTries where !again.isEmpty {
            placed.wishes = again
            placed.names = try await choose(again, besides: given.map(\.chosen))
            try await place(&placed)
            let more = self.given(placed, &namings)
            given += more.given
            again = more.again
        }
        for wish in again {
            namings[wish.visit] = .failed(
                Failure(
                    .io, "\(Self.mostTries) names were tried, and files/\(job.name) holds something else under each"))
        }
        mend(&given, wanted, &namings)
        let told = batch.visits.filter { $0.state != .page }.map { ($0, record($0, namings[$0.id])) }
        try await store.catalog.record(
            given, of: run, batch: batch.end,
            concluding: told.compactMap { visit, record in
                visit.conclusion == record.status ? nil : (visit.id, record.status, record.name)
            })
        for (visit, record) in told { await tell(visit, record, namings[visit.id]) }
    }

    /// Lets those who are said to be copies of a name that the disk did not take be copies of what was taken instead.
    private func mend(_ given: inout [GivenName], _ wanted: [ChosenName], _ namings: inout [Int64: Naming]) {
        let names = Dictionary(uniqueKeysWithValues: given.map { ($0.chosen.visit, $0.chosen.name) })
        var instead: [String: String?] = [:]
        for name in wanted where name.duplicateOf == nil && names[name.visit] != name.name {
            instead[name.name] = .some(names[name.visit])
        }
        if instead.isEmpty { return }
        for index in given.indices {
            guard let lost = given[index].chosen.duplicateOf, let name = instead[lost] else { continue }
            given[index].chosen.duplicateOf = name
            if case .named(_, let proposal, let isNamed, let isNew)? = namings[given[index].chosen.visit] {
                namings[given[index].chosen.visit] = .named(
                    given[index].chosen, proposal, isNamed: isNamed, isNew: isNew)
            }
        }
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
}
