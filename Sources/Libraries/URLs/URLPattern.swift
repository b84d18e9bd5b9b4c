import Unicode

/// A glob or a `/regular expression/` that a manifest matches URLs with.
///
/// - `/.../`, longer than two characters: an ICU regular expression, found anywhere in the URL.
/// - Else a glob that must match whole. Only `*` is special, and stands for any run of bytes, slashes too; `?` is
///   itself, since URLs have it. A glob that starts with `/` is held against path and query; any other against the
///   whole URL, and may begin anywhere in it unless it names a scheme (`://`). Letters outside of ASCII and blanks match
///   their percent-encoded form.
///
/// Neither sees the fragment or credentials. Matching costs at most pattern times URL for a glob, and is bounded for
/// an expression (`RegularExpression`).
package struct URLPattern: Sendable {
    /// As the manifest wrote it.
    package let source: String
    private let matcher: Matcher

    private enum Matcher: Sendable {
        case expression(RegularExpression)
        case path(Glob)
        case whole(Glob)
    }

    /// Throws what is wrong with the pattern, and where.
    package init(_ source: String) throws(PatternError) {
        self.source = source
        if source.isEmpty { throw PatternError(offset: 0, message: "the pattern is empty; use * for every URL") }
        if source.utf8.count > 2, source.utf8.first == UInt8(ascii: "/"), source.utf8.last == UInt8(ascii: "/") {
            do {
                matcher = .expression(try RegularExpression(String(source.dropFirst().dropLast())))
            } catch {
                throw PatternError(offset: error.offset + 1, message: error.message)
            }
        } else if source.utf8.first == UInt8(ascii: "/") {
            matcher = .path(Glob(source))
        } else {
            matcher = .whole(Glob(source.contains("://") ? source : "*" + source))
        }
    }

    /// Whether the pattern takes the URL.
    package func matches(_ url: WebURL) -> Bool {
        switch matcher {
        case .expression(let expression): expression.matches(url.key)
        case .path(let glob): glob.matches(url.pathAndQuery)
        case .whole(let glob): glob.matches(url.key)
        }
    }
}

extension URLPattern: Hashable {
    package static func == (left: URLPattern, right: URLPattern) -> Bool {
        left.source.utf8.elementsEqual(right.source.utf8)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

/// Why a pattern cannot be used.
package struct PatternError: Error, Sendable, Equatable {
    /// Where in the pattern, in bytes, counted from 0.
    package let offset: Int
    /// What is wrong, for people.
    package let message: String
}

/// Bytes in which `*` stands for any run.
struct Glob: Sendable {
    private let pattern: [UInt8]

    /// What a URL never holds as it is, a blank or a letter outside of ASCII, is looked for in its encoded form.
    init(_ pattern: String) {
        self.pattern = pattern.utf8.reduce(into: []) { $0.append($1, encoding: .pattern) }
    }

    init(literal pattern: String) { self.pattern = Array(pattern.utf8) }

    func matches(_ text: String) -> Bool { matches(Array(text.utf8)) }

    /// Each star takes as little as it can, and only the last one seen is ever widened: that is enough for a match to
    /// be found if there is one, so no choice is tried twice.
    func matches(_ text: [UInt8]) -> Bool {
        var position = 0
        var index = 0
        var star: (pattern: Int, text: Int)?
        while index < text.count {
            if position < pattern.count, pattern[position] == UInt8(ascii: "*") {
                position += 1
                star = (position, index)
            } else if position < pattern.count, pattern[position] == text[index] {
                position += 1
                index += 1
            } else if let last = star {
                position = last.pattern
                index = last.text + 1
                star = (position, index)
            } else {
                return false
            }
        }
        return pattern[position...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
