import HTTP
import Model
import TestSupport
import Testing

@testable import Fetching

@Suite struct FaultTableTests {
    @Test func hasManyRows() {
        #expect(FaultRow.all.count >= 180)
        #expect(Set(FaultRow.all.map(\.name)).count == FaultRow.all.count)
    }

    @Test(arguments: FaultRow.all)
    func endsAsTheTableSays(_ row: FaultRow) async throws {
        let next = Counter()
        try await FaultServer.serving { _ in
            row.answers[min(next.take(), row.answers.count - 1)]
        } _: { server in
            var rules = FetchRules.quick
            rules.retries = FaultRow.most - 1
            rules.idleTimeout = row.idle
            try await Bench.with(rules) { bench in
                let result = await bench.fetch(server.origin + row.path)
                #expect(result.failure?.code == row.code, "\(String(describing: result.failure))")
                #expect(result.head?.status == row.status)
                #expect(result.attempts == row.attempts)
                // What was refused for its content is kept for quarantine.
                #expect(bench.partNames.count == (row.code == nil || result.hasRefused ? 1 : 0))
                if let failure = result.failure { #expect(!failure.message.isEmpty) }
            }
        }
    }
}

extension FetchResult {
    fileprivate var hasRefused: Bool { if case .failed(_, .some) = outcome { true } else { false } }
}
