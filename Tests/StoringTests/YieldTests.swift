import Model
import Storing
import TestSupport
import Testing

@Suite struct YieldTests {
    private func yield(_ items: Int, _ types: [String: Int] = [:]) -> RunYield {
        RunYield(links: items * 2, items: items, bytes: Int64(items) * 10, types: types)
    }

    private func rules(minItems: Int = 0, maxDrop: Double? = nil) -> ExpectRules {
        var rules = ExpectRules()
        rules.minItems = minItems
        rules.maxDrop = maxDrop
        return rules
    }

    @Test func fewerThanTheLeastIsTold() {
        #expect(YieldDrop(of: yield(5), after: [], expecting: rules(minItems: 5)).figures.isEmpty)
        let drop = YieldDrop(of: yield(4), after: [], expecting: rules(minItems: 5))
        #expect(drop.figures == ["4 items, and expect.min-items is 5"])
    }

    @Test(arguments: [(50, true), (49, false)])
    func theMedianOfGoodRunsIsTheMeasure(items: Int, isFine: Bool) {
        let past = [yield(1), yield(100), yield(1000)]
        let drop = YieldDrop(of: yield(items), after: past, expecting: rules(maxDrop: 50))
        #expect(drop.figures.isEmpty == isFine, "\(drop.figures)")
        guard !isFine else { return }
        #expect(drop.figures.count == 3, "links, items and bytes")
        #expect(
            drop.figures[1]
                == "49 items, and the median of the last 3 good runs is 100: 51% fewer, where expect.max-drop allows 50%"
        )
    }

    @Test func withoutAnyGoodRunNothingCanDrop() {
        #expect(YieldDrop(of: yield(0), after: [], expecting: rules(maxDrop: 10)).figures.isEmpty)
        #expect(YieldDrop(of: yield(0), after: [yield(0)], expecting: rules(maxDrop: 10)).figures.isEmpty)
    }

    @Test func aTypeThatWentIsToldAndAStrayIsNot() {
        let past = [yield(100, ["application/pdf": 95, "text/csv": 5])]
        let login = YieldDrop(of: yield(100, ["text/html": 100]), after: past, expecting: rules(maxDrop: 50))
        #expect(login.figures.count == 1 && login.figures[0].hasPrefix("0 items of type application/pdf"))
        let stray = YieldDrop(of: yield(100, ["application/pdf": 100]), after: past, expecting: rules(maxDrop: 50))
        #expect(stray.figures.isEmpty)
    }

    @Test func aCollapseHoldsAndAGoodRunOrAReleaseLetsGo() async throws {
        try await Trial.with { trial in
            let catalog = trial.store.catalog
            func run(_ id: String, _ yield: RunYield, collapse: String?) async throws {
                let run = try await Trial.begin(trial.store, id)
                try await catalog.record(yield, of: run, collapse: collapse)
                try await catalog.end(run, RunEnd(status: .partial, exitStatus: 1, finished: 2), counts: "{}")
            }
            #expect(try await catalog.handoffHold(of: "job") == nil)
            try await run("a", yield(100, ["it's \"x\"": 100]), collapse: nil)
            try await run("b", yield(90), collapse: nil)
            try await run("c", yield(3), collapse: "3 items")
            #expect(try await catalog.handoffHold(of: "job")?.reason == "3 items")
            #expect(try await catalog.goodYields(of: "job") == [yield(90), yield(100, ["it's \"x\"": 100])])
            #expect(try await catalog.handoffHold(of: "other") == nil)

            try await run("d", yield(80), collapse: nil)
            #expect(try await catalog.handoffHold(of: "job") == nil)
            try await run("e", yield(4), collapse: "4 items")
            #expect(try await catalog.releaseHandoff(of: "job")?.run == "e")
            #expect(try await catalog.handoffHold(of: "job") == nil)
            #expect(try await catalog.releaseHandoff(of: "job") == nil)
            #expect(try await catalog.goodYields(of: "job") == [yield(4)], "what was accepted is the measure")
        }
    }

    @Test func aRunUnderWayOrInterruptedIsNoMeasure() async throws {
        try await Trial.with { trial in
            let catalog = trial.store.catalog
            try await catalog.record(yield(100), of: trial.run, collapse: nil)
            #expect(try await catalog.goodYields(of: "job").isEmpty)
            _ = try await catalog.closeKilledRuns(of: "job", at: 5)
            #expect(try await catalog.goodYields(of: "job").isEmpty)
        }
    }
}
