import Testing
import Times

@testable import Templates

@Suite struct StartExpansionTests {
    /// 2026-11-30T08:00:00Z.
    static let now = 1_796_025_600.0

    private func expanded(_ source: String, zone: Zone = .utc) throws -> [String] {
        try Template(source, fields: .start).expandedStart(at: StartExpansionTests.now, in: zone)
    }

    @Test func countsThroughRanges() throws {
        #expect(try expanded("p{n:9..11}") == ["p9", "p10", "p11"])
        #expect(try expanded("p{n:09..11}") == ["p09", "p10", "p11"])
        #expect(try expanded("{n:1..2}{n:0..1}-{n}") == ["10-0", "11-1", "20-0", "21-1"])
        #expect(try expanded("{n:1..100000}").count == 100_000)
    }

    @Test func shiftsDates() throws {
        #expect(
            try expanded("{date:yyyyMMdd}/{date:yyyyMMdd-1d}/{date:yyyy-MM-dd+1d}") == ["20261130/20261129/2026-12-01"])
        #expect(try expanded("{date:yyyyMMddHH-9h}") == ["2026112923"])
        let seoul = try Zone(named: "Asia/Seoul")
        #expect(try expanded("{date:yyyyMMddHH}", zone: seoul) == ["2026113017"])
        #expect(try expanded("{date}") == ["20261130080000"])
    }
}
