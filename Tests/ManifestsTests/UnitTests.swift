import Testing

@testable import Manifests

@Suite struct UnitTests {
    @Test(
        arguments: [
            ("0", 0), ("4096", 4096), ("10B", 10), ("10kB", 10_000), ("10KiB", 10_240), ("500MB", 500_000_000),
            ("2GiB", 2_147_483_648), ("2 gib", 2_147_483_648), ("1.5GiB", 1_610_612_736), ("0.5kB", 500),
            ("9223372036854775807", Int64.max), ("8TiB", 8_796_093_022_208),
        ] as [(String, Int64)])
    func sizes(_ text: String, _ bytes: Int64) throws { #expect(try Units.size(text) == bytes) }

    @Test(arguments: [
        "", "GiB", "-1", "1e3", "1.5B", "1.5.5kB", "1.kB", ".5kB", "10k", "10XB", "9223372036854775808", "9000000TiB",
        "1  kB", "1kB ", "99999999999999999999999999", "0.00000000000000000000000001kB", "１０kB",
    ])
    func noSizes(_ text: String) { #expect(throws: Units.Refusal.self) { try Units.size(text) } }

    @Test(arguments: [
        ("200ms", Duration.milliseconds(200)), ("15s", .seconds(15)), ("1.5s", .milliseconds(1500)),
        ("2m", .seconds(120)),
        ("6h", .seconds(21600)), ("7d", .seconds(604_800)), ("0s", .zero), ("1 h", .seconds(3600)),
    ])
    func durations(_ text: String, _ duration: Duration) throws { #expect(try Units.duration(text) == duration) }

    @Test(arguments: [
        ("15", "say the unit: 15s for seconds, 15m for minutes"), ("15min", "there is no unit 'min'; write 15m"),
        ("3 days", "there is no unit 'days'; write 3d"), ("5S", "there is no unit 'S'; write 5s"),
        ("1w", "there is no unit 'w'; units are ms, s, m, h, d"),
        ("1.0001ms", "1.0001ms is no whole number of the smallest unit"),
        ("999999999999999999d", "the number is too large"), ("soon", "begin with a number, such as 15"),
    ])
    func noDurations(_ text: String, _ hint: String) {
        let error = #expect(throws: Units.Refusal.self) { try Units.duration(text) }
        #expect(error?.hint == hint)
    }

    @Test(
        arguments: [
            ("depht", "depth"), ("concurency", "concurrency"), ("per_host", "per-host"), ("Job", "job"), ("x", nil),
            ("downlaod", "download"), ("completely", nil), (String(repeating: "a", count: 5000), nil),
        ] as [(String, String?)])
    func spelling(_ word: String, _ expected: String?) {
        let words = ["job", "depth", "concurrency", "per-host", "download", "crawl"]
        #expect(Spelling.suggestion(for: word, among: words) == expected)
    }
}
