import Model
import Storing
import Testing

@Suite struct RobotsCopyTests {
    @Test func aCopyComesBackAndTheNextTakesItsPlace() async throws {
        try await Trial.with { trial in
            let catalog = trial.store.catalog
            #expect(try await catalog.robots(of: "https://h.example") == nil)
            var copy = RobotsCopy(
                fetched: 1000.5, status: 200, validators: Validators(etag: "\"a\""), body: Array("Disallow: \0".utf8))
            try await catalog.keep(copy, asRobotsOf: "https://h.example")
            #expect(try await catalog.robots(of: "https://h.example") == copy)
            #expect(try await catalog.robots(of: "http://h.example") == nil)
            copy.status = 404
            copy.body = []
            try await catalog.keep(copy, asRobotsOf: "https://h.example")
            #expect(try await catalog.robots(of: "https://h.example") == copy)
        }
    }

    @Test(arguments: [(0.0, true), (86_399, true), (86_400, false), (-1, false), (1e300, false), (.nan, false)])
    func itIsGoodForADayAndNoClockThatWentBackMakesItYounger(age: Double, isFresh: Bool) {
        let copy = RobotsCopy(fetched: 1e9, status: 200, validators: Validators(), body: [])
        #expect(copy.isFresh(at: 1e9 + age) == isFresh)
    }
}
