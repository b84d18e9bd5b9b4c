import Model
import Storing
import Testing

@Suite struct FrontierTests {
    @Test func aURLIsVisitedOnceHoweverOftenItIsFound() async throws {
        try await Trial.with { trial in
            let first = try await trial.add([trial.discovery("a.pdf", .fetch(.item))])
            let again = try await trial.add([trial.discovery("a.pdf#page=2", .fetch(.item))], pageOrder: 2)
            #expect(first == 1 && again == 0)
            #expect(try await trial.store.catalog.items(of: trial.run, after: 0, limit: 9).count == 1)
        }
    }

    @Test func theEarliestPlaceDecidesTheOrderWhateverCameFirst() async throws {
        try await Trial.with { trial in
            let late = [try trial.discovery("x", .fetch(.item)), try trial.discovery("y", .fetch(.item), position: 1)]
            _ = try await trial.add(late, pageOrder: 7)
            _ = try await trial.add([trial.discovery("y", .fetch(.item), position: 5)], pageOrder: 2)
            let visits = try await trial.store.catalog.visits(try await trial.store.catalog.order(of: trial.run))
            #expect(visits.map(\.url) == ["https://example.org/y", "https://example.org/x"])
            #expect(visits.map(\.referrer) == ["https://example.org/page2", "https://example.org/page7"])
        }
    }

    @Test func whatWasLeftOutIsFetchedOnceThereIsAReason() async throws {
        try await Trial.with { trial in
            _ = try await trial.add([trial.discovery("a", .skip("too deep"))])
            #expect(try await trial.store.catalog.items(of: trial.run, after: 0, limit: 9).isEmpty)
            _ = try await trial.add([trial.discovery("a", .fetch(.item))])
            #expect(try await trial.store.catalog.items(of: trial.run, after: 0, limit: 9).count == 1)
            _ = try await trial.add([trial.discovery("a", .skip("too deep"))])
            #expect(try await trial.store.catalog.items(of: trial.run, after: 0, limit: 9).count == 1)
        }
    }

    @Test func aPageThatWaitsBecomesAnItemWhenALinkSaysSo() async throws {
        try await Trial.with { trial in
            _ = try await trial.add([trial.discovery("a", .fetch(.page))])
            _ = try await trial.add([trial.discovery("a", .fetch(.item))], pageOrder: 2)
            #expect(try await trial.store.catalog.items(of: trial.run, after: 0, limit: 9).count == 1)
            #expect(try await trial.store.catalog.openLevel(1, of: trial.run, room: 9, reason: "") == nil)
        }
    }

    @Test func whatMayBeNoPageGivesWayToTheWordThatItMay() async throws {
        try await Trial.with { trial in
            _ = try await trial.add([trial.discovery("a", .fetch(.probe))])
            _ = try await trial.add([trial.discovery("a", .fetch(.ask))], pageOrder: 2)
            _ = try await trial.add([trial.discovery("a", .fetch(.probe))], pageOrder: 3)
            _ = try await trial.store.catalog.openLevel(1, of: trial.run, room: 9, reason: "")
            let pages = try await trial.store.catalog.pages(of: trial.run, after: 0, limit: 9)
            #expect(pages.map(\.purpose) == [.ask])
        }
    }

    @Test func pagesOfALevelComeInTheirOrderAndWithinTheBound() async throws {
        try await Trial.with { trial in
            let catalog = trial.store.catalog
            _ = try await trial.add([trial.discovery("second", .fetch(.page))], pageOrder: 2)
            let first = [
                try trial.discovery("first", .fetch(.page)),
                try trial.discovery("third", .fetch(.page), depth: 1, position: 3),
            ]
            _ = try await trial.add(first, pageOrder: 1)
            _ = try await trial.add([trial.discovery("deeper", .fetch(.page), depth: 2)], pageOrder: 1)
            let level = try await catalog.openLevel(1, of: trial.run, room: 2, reason: "too many")
            #expect(level == 1...2)
            let pages = try await catalog.pages(of: trial.run, after: 0, limit: 9)
            #expect(pages.map(\.url) == ["https://example.org/first", "https://example.org/third"])
            let visits = try await catalog.visits(try await catalog.order(of: trial.run))
            let left = try #require(visits.first { $0.url.hasSuffix("second") })
            #expect(left.state == .final(.skipped) && left.reason == "too many")
            #expect(try await catalog.openLevel(2, of: trial.run, room: 9, reason: "") == 3...3)
        }
    }

    @Test func batchesGoOnWhereTheLastOneEnded() async throws {
        try await Trial.with { trial in
            let all = try (0..<25).map { try trial.discovery("\($0)", .fetch(.item), position: $0) }
            _ = try await trial.add(all)
            var seen: [String] = []
            var last: Int64 = 0
            while true {
                let batch = try await trial.store.catalog.items(of: trial.run, after: last, limit: 10)
                if batch.isEmpty { break }
                seen += batch.map(\.url)
                last = batch.last?.id ?? last
            }
            #expect(seen == (0..<25).map { "https://example.org/\($0)" })
        }
    }

    @Test func whatStillWaitsAtTheEndHasAReason() async throws {
        try await Trial.with { trial in
            _ = try await trial.add([trial.discovery("a", .fetch(.item))])
            try await trial.store.catalog.skipRest(of: trial.run, reason: "interrupted")
            let visits = try await trial.store.catalog.visits(try await trial.store.catalog.order(of: trial.run))
            #expect(visits.map(\.state) == [.final(.skipped)])
            #expect(visits.map(\.reason) == ["interrupted"])
        }
    }
}
