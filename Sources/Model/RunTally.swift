/// The figures of a run so far: a fold over its events.
package struct RunTally: Sendable, Hashable {
    package private(set) var counts = RunCounts()
    package private(set) var bytes = RunBytes()
    package private(set) var changes = RunChanges()
    package private(set) var pagesFailed = 0
    package private(set) var bundles = 0
    package private(set) var yield = RunYield()

    package init() {}

    package mutating func receive(_ event: RunEvent) {
        switch event {
        case .pageRead(_, _, let links, _):
            counts.pages += 1
            counts.links += links
            yield.links += links
        case .pageFailed: pagesFailed += 1
        case .item(let record):
            counts.count(record.status)
            yield.count(record)
            if record.change == .new { changes.new += 1 }
            if record.change == .changed { changes.changed += 1 }
            if record.status == .gone { changes.gone += 1 }
        case .received(let count): bytes.received += count
        case .stored(let count): bytes.stored += count
        case .deduplicated(let count): bytes.deduplicated += count
        case .bundle: bundles += 1
        case .started, .fetching, .transfers, .itemFetched, .itemFailed, .warning, .bundleOmitted, .handoff, .working,
            .finished:
            break
        }
    }
}
