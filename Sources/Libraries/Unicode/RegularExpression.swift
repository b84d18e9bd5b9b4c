import CShims
import Synchronization

/// A regular expression in ICU's syntax whose search ends in bounded time, whatever the text.
package final class RegularExpression: Sendable {
    /// Why a pattern does not compile.
    package struct SyntaxError: Error, Sendable, Equatable {
        /// Where in the pattern, in bytes of UTF-8, counted from 0.
        package let offset: Int
        /// What is wrong, for people.
        package let message: String
    }

    /// As it was written.
    package let pattern: String

    // ICU keeps the state of a search in the expression itself, so one search at a time.
    private let handle: Mutex<Handle>

    package init(_ pattern: String) throws(SyntaxError) {
        self.pattern = pattern
        handle = Mutex(try Handle(pattern))
    }

    /// Whether the pattern is found anywhere in the text. A search that reaches its bound (about a tenth of a second,
    /// 1 MB of backtracking) counts as not found.
    package func matches(_ text: String) -> Bool {
        let units = Array(text.utf16)
        return handle.withLock { $0.find(in: units) }
    }
}

/// Owns one `URegularExpression`.
private struct Handle: ~Copyable {
    private let regex: OpaquePointer

    init(_ pattern: String) throws(RegularExpression.SyntaxError) {
        let units = Array(pattern.utf16)
        var offset: Int32 = -1
        var message: UnsafePointer<CChar>?
        guard let length = Int32(exactly: units.count),
            let regex = nj_icu_regex_open(units, length, &offset, &message)
        else {
            let name = message.map { String(cString: $0) } ?? "the pattern is too long"
            throw RegularExpression.SyntaxError(
                offset: bytes(before: offset, in: pattern), message: explanations[name] ?? name)
        }
        self.regex = regex
    }

    deinit { nj_icu_regex_close(regex) }

    func find(in units: [UInt16]) -> Bool {
        guard let length = Int32(exactly: units.count) else { return false }
        // A step limit of 100 is about 100 ms (uregex.h); 1 MB of stack is far beyond what a URL needs.
        return units.withUnsafeBufferPointer { text in
            nj_icu_regex_find(regex, text.baseAddress, length, 100, 1 << 20) == 1
        }
    }
}

/// ICU counts in UTF-16 units, people and editors in bytes or columns of the source.
private func bytes(before units: Int32, in pattern: String) -> Int {
    let index = pattern.utf16.index(
        pattern.startIndex, offsetBy: max(0, Int(units)), limitedBy: pattern.endIndex)
    return pattern.utf8.distance(from: pattern.startIndex, to: index ?? pattern.endIndex)
}

private let explanations: [String: String] = [
    "U_ILLEGAL_ARGUMENT_ERROR": "the pattern is empty",
    "U_REGEX_RULE_SYNTAX": "this is not regular expression syntax",
    "U_REGEX_BAD_ESCAPE_SEQUENCE": "unknown escape sequence; a literal backslash is \\\\",
    "U_REGEX_PROPERTY_SYNTAX": "unknown character property",
    "U_REGEX_UNIMPLEMENTED": "this construct is not supported",
    "U_REGEX_MISMATCHED_PAREN": "a parenthesis is not closed, or closes nothing",
    "U_REGEX_NUMBER_TOO_BIG": "the number is too large",
    "U_REGEX_BAD_INTERVAL": "wrong {min,max} interval",
    "U_REGEX_MAX_LT_MIN": "in {min,max}, max is less than min",
    "U_REGEX_INVALID_BACK_REF": "reference to a group that does not exist",
    "U_REGEX_INVALID_FLAG": "unknown flag",
    "U_REGEX_LOOK_BEHIND_LIMIT": "a look-behind must have a bounded length",
    "U_REGEX_MISSING_CLOSE_BRACKET": "a [ is not closed by ]",
    "U_REGEX_INVALID_RANGE": "in a range [a-b], b comes before a",
    "U_REGEX_SET_CONTAINS_STRING": "a set may hold characters only",
    "U_REGEX_PATTERN_TOO_BIG": "the pattern is too large",
    "U_REGEX_INVALID_CAPTURE_GROUP_NAME": "wrong name of a group",
]
