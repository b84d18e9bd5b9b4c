import URLs

/// Netscape's cookies.txt, as browsers' exporters, curl and wget write it: seven fields with tabs between them.
package enum CookieText {
    /// What a file holds.
    package struct Content: Sendable {
        package var jar = CookieJar()
        package var problems: [Problem] = []
        /// Session cookies in it are those of a run that has not ended.
        package var isUnderWay = false
        /// What was imported last, as ``Header`` has it.
        package var imported: String?
    }

    /// A line that was passed over. It never quotes the line.
    package struct Problem: Sendable, Hashable {
        /// From 1.
        package let line: Int
        package let message: String
    }

    /// Lines of our own, comments for everybody else.
    private enum Header {
        static let first = "# Netscape HTTP Cookie File"
        static let second = "# Kept by Nightjar; holds secrets."
        static let underWay = "# A run is under way: its session cookies are below."
        static let imported = "# Imported: "
    }

    /// No browser's file comes near.
    package static let largest = 16 << 20
    private static let longestLine = 16 << 10
    private static let mostProblems = 1000

    /// Reads a file; what has expired by `now` is left out without a word.
    package static func read(_ bytes: [UInt8], now: Double) -> Content {
        var content = Content()
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            var line = line
            if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
            if number == 1, line.starts(with: [0xef, 0xbb, 0xbf]) { line = line.dropFirst(3) }
            do throws(LineError) {
                if let cookie = try cookie(line, &content) {
                    if !cookie.isExpired(at: now) { content.jar.put(cookie, now: now) }
                }
            } catch {
                if content.problems.count < mostProblems {
                    content.problems.append(Problem(line: number, message: error.message))
                }
            }
        }
        return content
    }

    /// The file's text.
    package static func write(_ cookies: [Cookie], isUnderWay: Bool = false, imported: String? = nil) -> [UInt8] {
        var lines = [Header.first, Header.second]
        if isUnderWay { lines.append(Header.underWay) }
        if let imported { lines.append(Header.imported + imported) }
        var bytes = Array((lines.joined(separator: "\n") + "\n\n").utf8)
        for cookie in cookies {
            let identity = cookie.identity
            let domain = identity.isHostOnly ? identity.domain : "." + identity.domain
            let seconds = cookie.expires.map { Int64(min(max($0, 1), 253_402_300_799)) } ?? 0
            bytes += Array((cookie.isHTTPOnly ? "#HttpOnly_\(domain)" : domain).utf8)
            bytes += Array("\t\(identity.isHostOnly ? "FALSE" : "TRUE")\t".utf8) + identity.path
            bytes += Array("\t\(cookie.isSecure ? "TRUE" : "FALSE")\t\(seconds)\t".utf8)
            bytes += identity.name + [0x09] + cookie.value + [0x0a]
        }
        return bytes
    }

    private struct LineError: Error {
        let message: String

        init(_ message: String) { self.message = message }
    }

    /// Nil for a line that holds none.
    private static func cookie(_ line: ArraySlice<UInt8>, _ content: inout Content) throws(LineError) -> Cookie? {
        guard line.count <= longestLine else { throw LineError("it is longer than \(longestLine) bytes") }
        var line = line
        let mark = Array("#HttpOnly_".utf8)
        let isHTTPOnly = line.starts(with: mark)
        if isHTTPOnly {
            line = line.dropFirst(mark.count)
        } else if line.first == UInt8(ascii: "#") {
            readComment(String(decoding: line, as: UTF8.self), &content)
            return nil
        }
        if trimmed(line).isEmpty { return nil }
        let fields = line.split(separator: 0x09, omittingEmptySubsequences: false)
        guard fields.count == 7 else {
            throw LineError("it has \(fields.count) fields between tabs, a cookie has 7")
        }
        let (name, isHostOnly) = try domain(fields[0], flag: try flag(fields[1], "second"))
        guard fields[2].first == UInt8(ascii: "/") else { throw LineError("its path does not begin with /") }
        let cookie = Cookie(
            Cookie.Identity(name: Array(fields[5]), domain: name, isHostOnly: isHostOnly, path: Array(fields[2])),
            value: Array(fields[6]), expires: try expiry(fields[4]), isSecure: try flag(fields[3], "fourth"),
            isHTTPOnly: isHTTPOnly)
        if let objection = cookie.objection { throw LineError(objection) }
        return cookie
    }

    private static func readComment(_ line: String, _ content: inout Content) {
        if line == Header.underWay { content.isUnderWay = true }
        if line.hasPrefix(Header.imported) { content.imported = String(line.dropFirst(Header.imported.count)) }
    }

    private static func flag(_ field: ArraySlice<UInt8>, _ place: String) throws(LineError) -> Bool {
        switch String(decoding: field.prefix(6).map(lowercased), as: UTF8.self) {
        case "true": return true
        case "false": return false
        default: throw LineError("its \(place) field is neither TRUE nor FALSE")
        }
    }

    /// - Parameter flag: whether the hosts below the domain get the cookie too.
    private static func domain(
        _ field: ArraySlice<UInt8>, flag: Bool
    ) throws(LineError) -> (domain: String, isHostOnly: Bool) {
        let bare = field.first == UInt8(ascii: ".") ? field.dropFirst() : field
        guard !bare.isEmpty, bare.count <= 255, let text = String(validating: bare, as: UTF8.self),
            !text.utf8.contains(where: { Array("/?#@:\\".utf8).contains($0) && bare.first != UInt8(ascii: "[") }),
            let host = WebURL("http://\(text)/")?.host
        else { throw LineError("its domain is no host's name") }
        guard flag, !isAddress(host) else { return (host, true) }
        if PublicSuffixes().isPublicSuffix(host) {
            throw LineError("its domain is a public suffix, which nobody may set cookies for")
        }
        return (host, false)
    }

    /// Whole seconds since 1970; browsers' exporters also write fractions of them. 0 is a session cookie.
    private static func expiry(_ field: ArraySlice<UInt8>) throws(LineError) -> Double? {
        let parts = field.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, !whole.isEmpty, whole.count <= 20,
            parts.allSatisfy({ $0.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } })
        else { throw LineError("its fifth field is no time in seconds since 1970") }
        let seconds = whole.reduce(0.0) { $0 * 10 + Double($1 - 0x30) }
        return seconds == 0 ? nil : min(seconds, 253_402_300_799)
    }
}
