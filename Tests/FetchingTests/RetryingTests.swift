import Testing

@testable import Fetching

@Suite struct RetryingTests {
    @Test func backsOffWithFullJitter() {
        #expect(Retrying.delay(attempt: 1, retryAfter: nil, chance: 0.5) == .milliseconds(250))
        #expect(Retrying.delay(attempt: 3, retryAfter: nil, chance: 0.5) == .seconds(1))
        #expect(Retrying.delay(attempt: 3, retryAfter: nil, chance: 0) == .zero)
        #expect(Retrying.delay(attempt: 50, retryAfter: nil, chance: 0.5) == .seconds(15))
        #expect(Retrying.delay(attempt: 1, retryAfter: 7, chance: 0) == .seconds(7))
        #expect(Retrying.delay(attempt: 1, retryAfter: 1e9, chance: 0) == .seconds(6 * 3600))
        #expect(Retrying.delay(attempt: 1, retryAfter: 9, longest: .seconds(3), chance: 0) == .seconds(3))
    }

    @Test(arguments: [
        ("120", 120.0), ("0", 0), ("Sun, 09 Sep 2001 01:47:10 GMT", 30), ("Sunday, 09-Sep-01 01:47:10 GMT", 30),
        ("Sun Sep  9 01:47:10 2001", 30), ("Sun, 09 Sep 2001 01:46:00 GMT", 0), ("-1", nil), ("1.0", nil), ("", nil),
        ("soon", nil), ("99999999999999999999", 1e20),
    ])
    func readsRetryAfter(_ field: String, _ expected: Double?) {
        #expect(Retrying.seconds(retryAfter: Array(field.utf8), now: 1_000_000_000) == expected)
    }

    @Test func knowsWhatIsWorthIt() {
        for status in [408, 425, 429, 500, 502, 503, 504, 599] { #expect(Retrying.isWorth(status: status)) }
        for status in [400, 401, 403, 404, 410, 416, 501, 505] { #expect(!Retrying.isWorth(status: status)) }
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func encodesBase64(_ text: String, _ expected: String) {
        #expect(base64(Array(text.utf8)) == expected)
    }
}
