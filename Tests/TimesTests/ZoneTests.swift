import Foundation
import Testing

@testable import Times

@Suite struct ZoneTests {
    @Test(arguments: [
        ("Europe/Berlin", 1_796_025_600.0, 3600), ("Europe/Berlin", 1_782_000_000, 7200),
        ("Asia/Seoul", 1_796_025_600, 32400), ("Asia/Kathmandu", 1_796_025_600, 20700),
        ("America/New_York", 1_796_025_600, -18000), ("America/New_York", 1_782_000_000, -14400),
        ("Australia/Lord_Howe", 1_796_025_600, 39600), ("Africa/Casablanca", 1_782_000_000, 3600),
        ("Africa/Casablanca", 2_887_023_647, 0),
        ("Europe/Berlin", 7_000_000_000, 7200), ("America/New_York", 20_000_000_000, -14400),
        ("Europe/Berlin", -5_000_000_000, 3208), ("UTC", 0, 0), ("Etc/GMT+5", 0, -18000),
    ])
    func knowsOffsets(name: String, seconds: Double, offset: Int) throws {
        #expect(try Zone(named: name).offset(at: seconds) == offset)
    }

    /// Foundation reads the same files in its own way; both must agree. Its copy of the rules
    /// is coarse before 2000 and ends in 2037.
    @Test func agreesWithFoundation() throws {
        let names = [
            "Europe/Berlin", "Europe/London", "Europe/Dublin", "America/New_York", "America/Sao_Paulo", "Asia/Tehran",
            "Asia/Gaza", "Pacific/Apia", "Australia/Lord_Howe", "Antarctica/Troll",
            "America/Nuuk", "Asia/Seoul", "Pacific/Chatham", "America/St_Johns",
        ]
        for name in names {
            let zone = try Zone(named: name)
            let other = try #require(TimeZone(identifier: name))
            // Steps that meet every hour of the day and every day of the year.
            for step in 0..<4000 {
                let seconds = 946_684_800 + Double(step) * 291_611
                let expected = other.secondsFromGMT(for: Date(timeIntervalSince1970: seconds))
                if zone.offset(at: seconds) != expected {
                    Issue.record("\(name) at \(seconds): \(zone.offset(at: seconds)), not \(expected)")
                    break
                }
            }
        }
    }

    @Test(arguments: [
        "", "..", "../etc/passwd", "/etc/passwd", "Europe/../Europe/Berlin", "Europe//Berlin", "Europe/", "a\0b",
        "Mars/Olympus", "Europe", "zone.tab", "europe/Ber lin",
    ])
    func refusesNames(name: String) { #expect(throws: ZoneError.self) { try Zone(named: name) } }

    @Test func saysWhatToInstallWithoutFiles() throws {
        let error = #expect(throws: ZoneError.self) { try Zone(named: "Europe/Berlin", directory: "/nonexistent") }
        #expect(error?.message.contains("tzdata") == true)
        #expect(try Zone(named: "UTC", directory: "/nonexistent").offset(at: 5) == 0)
    }

    @Test func showsLocalTime() throws {
        let time = try Zone(named: "Asia/Seoul").civil(at: 1_796_025_600.5)
        #expect(time == CivilTime(year: 2026, month: 11, day: 30, hour: 17, millisecond: 500))
    }

    @Test func findsInstantsOfLocalTime() throws {
        let berlin = try Zone(named: "Europe/Berlin")
        #expect(berlin.instants(of: CivilTime(year: 2026, month: 11, day: 30, hour: 9)) == .one(1_796_025_600))
        let skipped = berlin.instants(of: CivilTime(year: 2026, month: 3, day: 29, hour: 2, minute: 30))
        #expect(skipped == .none(skippedAt: 1_774_746_000))
        let twice = berlin.instants(of: CivilTime(year: 2026, month: 10, day: 25, hour: 2, minute: 30))
        #expect(twice == .two(earlier: 1_792_888_200, later: 1_792_891_800))
        let apia = try Zone(named: "Pacific/Apia")
        #expect(
            apia.instants(of: CivilTime(year: 2011, month: 12, day: 30, hour: 12)) == .none(skippedAt: 1_325_239_200))
    }

    @Test(arguments: [
        ("CET-1CEST,M3.5.0,M10.5.0/3", 1_782_000_000, 7200), ("<+0545>-5:45", 0, 20700), ("EST5", 0, -18000),
        ("XXX3EDT4,0/0,J365/23", 1_782_000_000, -14400), ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1_782_000_000, -3600),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", 1_796_025_600, 0), ("IST-1GMT0,M10.5.0,M3.5.0/1", 1_782_000_000, 3600),
        ("AAA0BBB,J60,300", 1_782_000_000, 3600),
    ])
    func readsRules(text: String, seconds: Int64, offset: Int) {
        #expect(ZoneRule(Array(text.utf8))?.offset(at: seconds) == offset)
    }

    @Test(arguments: [
        "", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "<CET-1",
        "CET-999", "CET-1CEST,J0,J5", "CET-1CEST,M3.5.0,M10.5.0,", "CET-1:61",
    ])
    func refusesRules(text: String) { #expect(ZoneRule(Array(text.utf8)) == nil) }

    /// Damaged files are refused or read, but never crash.
    @Test func survivesDamage() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/Europe/Berlin")))
        #expect(Zone(name: "x", zoneinfo: bytes) != nil)
        for length in stride(from: 0, to: bytes.count - 40, by: 7) {
            #expect(Zone(name: "x", zoneinfo: Array(bytes[..<length])) == nil)
        }
        var state: UInt64 = 7
        for _ in 0..<3000 {
            var damaged = bytes
            for _ in 0..<4 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                damaged[Int(state >> 33) % damaged.count] = UInt8(truncatingIfNeeded: state >> 20)
            }
            if let zone = Zone(name: "x", zoneinfo: damaged) {
                _ = zone.civil(at: 1_782_000_000)
                _ = zone.instants(of: CivilTime(year: 2026, month: 3, day: 29, hour: 2, minute: 30))
            }
        }
    }
}
