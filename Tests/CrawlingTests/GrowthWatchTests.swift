import Crawling
import Testing
import URLs

@Suite struct GrowthWatchTests {
    private func page(_ path: String) throws -> WebURL { try #require(WebURL("https://h.example\(path)")) }

    /// Walks a chain of pages, each of which leads to the next.
    private func walk(_ count: Int, _ watch: inout GrowthWatch, path: (Int) -> String) throws -> GrowthWatch.Trap? {
        for number in 0..<count {
            let trap = watch.read(
                try page(path(number)), from: try page(number == 0 ? "/" : path(number - 1)), depth: number + 1,
                pages: [try page(path(number + 1))], hasNewItems: false)
            if let trap { return trap }
        }
        return nil
    }

    /// Letters alone, no two alike.
    private func word(_ number: Int) -> String {
        String(
            String.UnicodeScalarView(
                "\(number * 7919 + 10_000)".unicodeScalars.compactMap {
                    Unicode.Scalar($0.value + 49)
                }))
    }

    @Test func chainsOfPagesAlikeAreTrapsAndAreNamed() throws {
        let chains: [(path: (Int) -> String, pattern: String)] = [
            ({ "/cal?month=\($0)" }, "/cal?month=*"),
            ({ "/cal/\($0 / 12)/\($0 % 12)/" }, "/cal/*/*/"),
            ({ "/day-2026-\($0).html" }, "/day-*-*.html"),
            ({ "/s;sid=a\($0)f9c\($0)/x" }, "/s;sid=*/x"),
            ({ $0 % 2 == 0 ? "/list?a=\($0)&b=1" : "/list?b=1&a=\($0)" }, "/list?a=*&b=*"),
        ]
        for chain in chains {
            var watch = GrowthWatch(most: 20)
            let trap = try walk(100, &watch, path: chain.path)
            #expect(trap == GrowthWatch.Trap(pattern: "https://h.example\(chain.pattern)", pages: 20))
            #expect(watch.reason(against: try page(chain.path(5000))) != nil)
            #expect(watch.reason(against: try page("/reports/annual")) == nil)
        }
    }

    @Test func wordsThatNobodyCanNumberAreFoundByTheirFolder() throws {
        var watch = GrowthWatch(most: 20)
        #expect(try walk(100, &watch) { "/maze/\(word($0))" }?.pattern == "https://h.example/maze/*")
        var deep = GrowthWatch(most: 20)
        #expect(try walk(100, &deep) { "/maze/\(word($0))/\(word($0 + 1))" }?.pattern == "https://h.example/*")
    }

    @Test func aNewItemOnThePageOrOnOneThatItLedToIsWorthTheWay() throws {
        var watch = GrowthWatch(most: 20)
        for number in 0..<500 {
            let list = try page("/news?page=\(number)")
            let article = try page("/article/\(number)")
            let before = try page(number == 0 ? "/" : "/news?page=\(number - 1)")
            let next = [article, try page("/news?page=\(number + 1)")]
            #expect(watch.read(list, from: before, depth: number + 1, pages: next, hasNewItems: false) == nil)
            #expect(watch.read(article, from: list, depth: number + 2, pages: [], hasNewItems: number % 10 == 0) == nil)
        }
        #expect(watch.reason(against: try page("/news?page=501")) == nil)
    }

    @Test func aWideLevelOfPagesIsNoTrap() throws {
        var watch = GrowthWatch(most: 20)
        for number in 0..<1000 {
            let trap = watch.read(
                try page("/ministry/\(number)"), from: try page("/"), depth: 1,
                pages: [try page("/ministry/\(number)/files"), try page("/ministry/\(number + 1000)")],
                hasNewItems: false)
            #expect(trap == nil)
        }
    }

    @Test func pagesThatMultiplyAreATrapAfterFourTimesAsMany() throws {
        var watch = GrowthWatch(most: 20)
        var trap: GrowthWatch.Trap?
        var level = [0]
        var last = 0
        for depth in 1...4 where trap == nil {
            var next: [Int] = []
            for number in level where trap == nil {
                let children = (1...6).map { last + $0 }
                last += 6
                next += children
                trap = watch.read(
                    try page("/x/\(number)"), from: try page("/x/0"), depth: depth,
                    pages: try children.map { try page("/x/\($0)") }, hasNewItems: false)
            }
            level = next
        }
        #expect(trap == GrowthWatch.Trap(pattern: "https://h.example/x/*", pages: 80))
    }

    @Test func zeroIsNoBound() throws {
        var watch = GrowthWatch(most: 0)
        #expect(try walk(1000, &watch) { "/cal?month=\($0)" } == nil)
    }

    @Test func memoryStaysBoundedAndTimeLinear() throws {
        var watch = GrowthWatch(most: 1_000_000)
        let time = try ContinuousClock().measure {
            _ = try walk(8_000, &watch) { "/\(word($0))/\(word($0 * 3))?\(word($0 * 5))" }
        }
        #expect(time < .seconds(20))
    }
}
