package import URLs

/// The cookies of one client, by the rules of RFC 6265bis. A value: who shares one puts a lock around it.
///
/// Time is the caller's, in seconds since 1970, so that nothing here asks a clock.
package struct CookieJar: Sendable {
    struct Entry: Sendable, Hashable {
        var cookie: Cookie
        /// When it first came, as a number that only grows.
        var order: Int
        /// When it was last sent or set, in the same way.
        var used: Int
    }
    /// By domain, each in the order they came.
    var entries: [String: [Entry]] = [:]
    /// What was set or removed since ``settle()``, and when.
    var changes: [Cookie.Identity: Double] = [:]
    var next = 0

    package init() {}

    /// In the order they came.
    package var cookies: [Cookie] {
        entries.values.joined().sorted { $0.order < $1.order }.map(\.cookie)
    }

    package var isEmpty: Bool { entries.isEmpty }
    package private(set) var count = 0

    /// True when something was set or removed since ``settle()``.
    package var hasChanges: Bool { !changes.isEmpty }

    /// What was changed is known elsewhere now.
    mutating func settle() { changes = [:] }

    /// What was thought to be known elsewhere is not.
    mutating func unsettle(_ lost: [Cookie.Identity: Double]) { changes.merge(lost) { max($0, $1) } }

    subscript(identity: Cookie.Identity) -> Cookie? {
        entries[identity.domain]?.first { $0.cookie.identity == identity }?.cookie
    }

    /// The value of a `Cookie` field for a request (RFC 6265bis, 5.8.3), with its header's bounds; nil when there is
    /// nothing to send.
    /// - Parameter taken: names that are sent anyhow.
    package mutating func header(for url: WebURL, now: Double, without taken: Set<[UInt8]> = []) -> [UInt8]? {
        guard !entries.isEmpty, let place = CookiePlace(url) else { return nil }
        var found: [Entry] = []
        for domain in place.domains {
            guard let candidates = entries[domain] else { continue }
            for index in candidates.indices where candidates[index].cookie.isFor(place, now: now) {
                next += 1
                entries[domain]?[index].used = next
                if !taken.contains(candidates[index].cookie.identity.name) { found.append(candidates[index]) }
            }
        }
        found.sort { left, right in
            let (leftPath, rightPath) = (left.cookie.identity.path.count, right.cookie.identity.path.count)
            return leftPath != rightPath ? leftPath > rightPath : left.order < right.order
        }
        var header: [UInt8] = []
        for cookie in found.prefix(Bounds.perRequest).map(\.cookie) {
            let pair = cookie.identity.name + [UInt8(ascii: "=")] + cookie.value
            guard header.count + pair.count + 2 <= Bounds.header else { continue }
            if !header.isEmpty { header += [UInt8(ascii: ";"), UInt8(ascii: " ")] }
            header += pair
        }
        return header.isEmpty ? nil : header
    }

    /// Whether a cookie of that name would be sent there.
    package func has(_ name: [UInt8], for url: WebURL, now: Double) -> Bool {
        guard let place = CookiePlace(url) else { return false }
        return place.domains.contains { domain in
            entries[domain]?.contains { $0.cookie.identity.name == name && $0.cookie.isFor(place, now: now) } ?? false
        }
    }

    /// Keeps a cookie in place of the one that it shares its identity with.
    package mutating func set(_ cookie: Cookie, now: Double) {
        put(cookie, now: now)
        changes[cookie.identity] = now
    }

    package mutating func remove(_ identity: Cookie.Identity, now: Double) {
        guard self[identity] != nil else { return }
        drop(identity)
        changes[identity] = now
    }

    /// Removes the cookies of that name that would be sent there.
    package mutating func remove(_ name: [UInt8], for url: WebURL, now: Double) {
        guard let place = CookiePlace(url) else { return }
        for domain in place.domains {
            let found = entries[domain]?.map(\.cookie).filter { $0.identity.name == name && $0.isFor(place, now: now) }
            for cookie in found ?? [] { remove(cookie.identity, now: now) }
        }
    }

    /// Removes the cookies for which `isWanted` is false.
    package mutating func keep(now: Double, where isWanted: (Cookie) -> Bool) {
        for cookie in cookies where !isWanted(cookie) { remove(cookie.identity, now: now) }
    }

    // MARK: Without a change to be told

    mutating func put(_ cookie: Cookie, now: Double) {
        next += 1
        let domain = cookie.identity.domain
        if let index = entries[domain]?.firstIndex(where: { $0.cookie.identity == cookie.identity }) {
            entries[domain]?[index].cookie = cookie
            entries[domain]?[index].used = next
            return
        }
        entries[domain, default: []].append(Entry(cookie: cookie, order: next, used: next))
        count += 1
        makeRoom(in: domain, now: now)
    }

    mutating func drop(_ identity: Cookie.Identity) {
        thin(identity.domain) { $0.cookie.identity == identity }
    }

    /// Forgets what has expired.
    package mutating func purge(now: Double) {
        for domain in Array(entries.keys) { thin(domain) { $0.cookie.isExpired(at: now) } }
    }

    private mutating func thin(_ domain: String, _ isGone: (Entry) -> Bool) {
        guard let before = entries[domain]?.count else { return }
        entries[domain]?.removeAll(where: isGone)
        let after = entries[domain]?.count ?? 0
        count -= before - after
        if after == 0 { entries[domain] = nil }
    }

    /// Lets go what is over the bounds (RFC 6265bis, 5.7): what has expired, then in a crowded domain what is not Secure,
    /// each the longest unused first; a tenth at once, so that a flood costs no search for each of its cookies.
    private mutating func makeRoom(in domain: String, now: Double) {
        if let crowd = entries[domain], crowd.count > Bounds.perDomain {
            thin(domain) { $0.cookie.isExpired(at: now) }
            let rest = (entries[domain] ?? []).sorted {
                ($0.cookie.isSecure ? 1 : 0, $0.used) < ($1.cookie.isSecure ? 1 : 0, $1.used)
            }
            let gone = Set(rest.prefix(max(rest.count - Bounds.perDomain * 9 / 10, 0)).map(\.order))
            thin(domain) { gone.contains($0.order) }
        }
        guard count > Bounds.inJar else { return }
        purge(now: now)
        let excess = count - Bounds.inJar * 9 / 10
        guard excess > 0 else { return }
        let rest = entries.values.joined().sorted { $0.used < $1.used }
        let gone = Set(rest.prefix(excess).map(\.order))
        for domain in Array(entries.keys) { thin(domain) { gone.contains($0.order) } }
    }
}

/// What of a URL decides which cookies go there.
struct CookiePlace {
    /// The host and, unless it is an address, the domains that it lies below.
    let domains: [String]
    let path: [UInt8]
    let isSecure: Bool

    /// Nil for a URL that no cookie is sent to.
    init?(_ url: WebURL) {
        guard url.isHTTP, let host = url.host, !host.isEmpty else { return nil }
        isSecure = url.scheme == "https"
        path = Array(url.path.utf8)
        var domains = [host]
        if !isAddress(host) {
            var rest = host.utf8[...]
            while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
                rest = rest[rest.index(after: dot)...]
                if !rest.isEmpty { domains.append(String(decoding: rest, as: UTF8.self)) }
            }
        }
        self.domains = domains
    }

    var host: String { domains[0] }

    /// RFC 6265bis, 5.1.4: the path up to its last slash.
    var defaultPath: [UInt8] {
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")), slash > 0 else { return [UInt8(ascii: "/")] }
        return Array(path[..<slash])
    }
}

extension Cookie {
    /// RFC 6265bis, 5.8.3, for one of the place's own domains.
    fileprivate func isFor(_ place: CookiePlace, now: Double) -> Bool {
        (!identity.isHostOnly || identity.domain == place.host) && (!isSecure || place.isSecure)
            && !isExpired(at: now) && pathMatches(place.path, identity.path)
    }
}

/// RFC 6265bis, 5.1.4.
func pathMatches(_ path: [UInt8], _ prefix: [UInt8]) -> Bool {
    let slash = UInt8(ascii: "/")
    guard path.starts(with: prefix) else { return false }
    return path.count == prefix.count || prefix.last == slash || path[prefix.count] == slash
}

/// Whether a host as a URL has it is an IP address: only names have domains above them.
func isAddress(_ host: String) -> Bool {
    if host.utf8.first == UInt8(ascii: "[") { return true }
    var labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if labels.last?.isEmpty == true, labels.count > 1 { labels.removeLast() }
    // The host parser lets no other host end in a number.
    return labels.last.map { !$0.isEmpty && $0.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } } ?? false
}
