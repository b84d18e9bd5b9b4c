import Cookies
import Testing
import URLs

/// 1 January 2012: the suite was written for a clock of those years.
let fixedNow: Double = 1_325_376_000

func url(_ text: String) throws -> WebURL { try #require(WebURL(text), "no URL: \(text)") }

extension CookieJar {
    mutating func receive(_ field: String, from text: String, now: Double = fixedNow) throws -> Effect {
        receive([Array(field.utf8)], from: try url(text), now: now)
    }

    mutating func header(_ text: String, now: Double = fixedNow) throws -> String? {
        header(for: try url(text), now: now).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// `name=value` of each, in the order they came.
func pairs(_ jar: CookieJar) -> [String] {
    jar.cookies.map { String(decoding: $0.identity.name + [0x3d] + $0.value, as: UTF8.self) }
}
