extension CookieJar {
    /// What two users of one jar have made of it: this one's changes on top of the other's, the newest where both
    /// changed the same cookie. What of this one's counted is the result's changes.
    /// - Parameters:
    ///   - base: what both began with.
    ///   - theirs: what the other has written.
    ///   - written: when the other's newest change was made, in seconds since 1970.
    func merged(into theirs: CookieJar, base: CookieJar, written: Double, now: Double) -> CookieJar {
        var base = base
        // What time alone has taken away is nobody's change.
        base.purge(now: now)
        var merged = theirs
        merged.next = max(merged.next, next)
        merged.changes = [:]
        let changed = entries.values.joined().sorted { $0.order < $1.order }.map(\.cookie.identity)
            .filter { changes[$0] != nil }
        let removed = changes.keys.filter { self[$0] == nil }
        for identity in changed + removed {
            guard let time = changes[identity] else { continue }
            if theirs[identity] != base[identity], written > time { continue }
            merged.changes[identity] = time
            if let cookie = self[identity], !cookie.isExpired(at: now) {
                merged.put(cookie, now: now)
            } else {
                merged.drop(identity)
            }
        }
        for (domain, list) in merged.entries {
            for index in list.indices {
                guard let mine = entries[domain]?.first(where: { $0.cookie.identity == list[index].cookie.identity })
                else { continue }
                merged.entries[domain]?[index].used = mine.used
            }
        }
        return merged
    }
}
