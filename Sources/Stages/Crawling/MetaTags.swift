/// The address in the content of `meta http-equiv=refresh`; nil when it only reloads or is not well formed
/// (WHATWG HTML, 4.2.5.3, shared declarative refresh steps).
func refreshTarget(_ content: [UInt8]) -> [UInt8]? {
    var rest = content[...]
    rest = rest.drop(while: isHTMLSpace)
    let afterDigits = rest.drop(while: isASCIIDigit)
    if afterDigits.startIndex == rest.startIndex, afterDigits.first != UInt8(ascii: ".") { return nil }
    rest = afterDigits.drop { isASCIIDigit($0) || $0 == UInt8(ascii: ".") }
    guard let separator = rest.first, isHTMLSpace(separator) || isListSeparator(separator) else { return nil }
    rest = rest.drop(while: isHTMLSpace)
    if let byte = rest.first, isListSeparator(byte) { rest = rest.dropFirst() }
    rest = rest.drop(while: isHTMLSpace)
    if rest.isEmpty { return nil }
    return Array(unquoted(afterLabel(rest)))
}

private func isListSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",") }

/// What follows `url=`; all of it where the label is missing or incomplete.
private func afterLabel(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard startsIgnoringCase(text, "url") else { return text }
    let rest = text.dropFirst(3).drop(while: isHTMLSpace)
    guard rest.first == UInt8(ascii: "=") else { return text }
    return rest.dropFirst().drop(while: isHTMLSpace)
}

private func unquoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let quote = text.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return text }
    return text.dropFirst().prefix { $0 != quote }
}

/// True when a `meta robots` content or an `X-Robots-Tag` for all robots forbids following links.
func saysNofollow(_ value: [UInt8]) -> Bool {
    value.split(separator: UInt8(ascii: ",")).contains { directive in
        let word = trimmed(directive)
        return equalsIgnoringCase(word, "nofollow") || equalsIgnoringCase(word, "none")
    }
}

/// The same for an `X-Robots-Tag`, which may name the one robot that it is for: `otherbot: noindex, nofollow`.
///
/// - Parameter agent: our own product token, in lower case.
func tagSaysNofollow(_ value: [UInt8], agent: String) -> Bool {
    guard let colon = value.firstIndex(of: UInt8(ascii: ":")) else { return saysNofollow(value) }
    let name = trimmed(value[..<colon])
    let isName = !name.isEmpty && !name.contains { isHTMLSpace($0) || $0 == UInt8(ascii: ",") }
    // Directives that have a value, such as "max-snippet: 20", are no names.
    let isDirective = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"]
        .contains { equalsIgnoringCase(name, $0) }
    guard isName, !isDirective else { return saysNofollow(value) }
    return equalsIgnoringCase(name, agent) && saysNofollow(Array(value[(colon + 1)...]))
}

/// True for the MIME type of a feed.
func namesFeed(_ type: [UInt8]) -> Bool {
    let essence = trimmed(type.prefix { $0 != UInt8(ascii: ";") })
    return ["application/rss+xml", "application/atom+xml", "application/feed+json"].contains {
        equalsIgnoringCase(essence, $0)
    }
}
