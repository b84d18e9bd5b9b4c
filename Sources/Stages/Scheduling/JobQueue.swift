package import Model

/// Jobs that are to run, in the order of their needs and priorities. A pure machine: it is asked for the next turn
/// whenever there is room, and told how each turn ended.
package struct JobQueue: Sendable {
    package enum Turn: Sendable {
        /// Its needs in this queue have succeeded; those that are not part of it are for others to look after.
        case run(Job, needsElsewhere: [String])
        /// A need of this queue did not succeed.
        case skip(Job, need: String)
    }

    /// How a turn ended.
    package enum Ending: Sendable, Hashable {
        case succeeded, failed
        /// Nothing happened: the job is no part of the queue any more.
        case forgotten
    }

    private struct Waiting {
        let job: Job
        /// Its own, or that of a job which needs it.
        var priority: Int
    }

    private var waiting: [Waiting] = []
    private var underWay: Set<String> = []
    private var ended: [String: Ending] = [:]
    private let forgetsEndings: Bool

    /// - Parameter forgetsEndings: how a job has ended is no part of the queue's memory: it lives longer than runs do.
    package init(_ jobs: [Job] = [], forgetsEndings: Bool = false) {
        self.forgetsEndings = forgetsEndings
        add(jobs)
    }

    package var isEmpty: Bool { waiting.isEmpty && underWay.isEmpty }

    package func holds(_ name: String) -> Bool { underWay.contains(name) || waiting.contains { $0.job.name == name } }

    /// Adds jobs behind those of the same priority; one that is waiting or under way is not added again.
    package mutating func add(_ jobs: [Job]) {
        var names = underWay.union(waiting.map(\.job.name))
        waiting += jobs.filter { names.insert($0.name).inserted }.map { Waiting(job: $0, priority: $0.priority) }
        raiseNeeded()
        waiting = waiting.enumerated().sorted {
            (-$0.element.priority, $0.offset) < (-$1.element.priority, $1.offset)
        }.map(\.element)
    }

    /// The next turn; nil while all that is left waits for others, or nothing is left.
    package mutating func next() -> Turn? {
        let names = Set(waiting.map(\.job.name))
        for (index, entry) in waiting.enumerated() {
            let job = entry.job
            if let need = job.needs.first(where: { ended[$0] == .failed }) {
                take(index)
                return .skip(job, need: need)
            }
            guard !job.needs.contains(where: { names.contains($0) || underWay.contains($0) }) else { continue }
            take(index)
            return .run(job, needsElsewhere: job.needs.filter { ended[$0] != .succeeded })
        }
        return nil
    }

    package mutating func ended(_ name: String, _ ending: Ending) {
        underWay.remove(name)
        if !forgetsEndings, ending != .forgotten { ended[name] = ending }
    }

    private mutating func take(_ index: Int) { underWay.insert(waiting.remove(at: index).job.name) }

    /// What a job needs comes as soon as the job would; down chains of any length.
    private mutating func raiseNeeded() {
        let places = Dictionary(waiting.enumerated().map { ($1.job.name, $0) }) { first, _ in first }
        var raised = Array(waiting.indices)
        while let index = raised.popLast() {
            for need in waiting[index].job.needs {
                guard let place = places[need], waiting[place].priority < waiting[index].priority else { continue }
                waiting[place].priority = waiting[index].priority
                raised.append(place)
            }
        }
    }
}
