package import URLs

extension CookieJar {
    /// What a `Set-Cookie` field did to a jar.
    package enum Effect: Int, Sendable, Comparable {
        case none
        /// Only for how long a cookie is kept.
        case prolonged
        /// A cookie is new, or gone.
        case changed
        /// A cookie has another value.
        case replaced

        package static func < (left: Effect, right: Effect) -> Bool { left.rawValue < right.rawValue }
    }

    /// Takes the `Set-Cookie` fields of one answer, the first fifty of them.
    package mutating func receive(_ fields: [[UInt8]], from url: WebURL, now: Double) -> Effect {
        fields.prefix(Bounds.perAnswer).reduce(.none) { max($0, receive($1, from: url, now: now)) }
    }

    /// Takes one `Set-Cookie` field (RFC 6265bis, 5.7), or refuses it without a word, as the standard says.
    mutating func receive(_ field: [UInt8], from url: WebURL, now: Double) -> Effect {
        guard let place = CookiePlace(url), let sent = SetCookie(field),
            let cookie = cookie(sent, from: place, now: now), cookie.objection == nil, !shadowsSecure(cookie, place)
        else { return .none }
        let old = self[cookie.identity]
        if cookie.isExpired(at: now) {
            remove(cookie.identity, now: now)
            return old == nil ? .none : .changed
        }
        guard old != cookie else { return .none }
        set(cookie, now: now)
        guard var old else { return .changed }
        old.expires = cookie.expires
        return old == cookie ? .prolonged : .replaced
    }

    private func cookie(_ sent: SetCookie, from place: CookiePlace, now: Double) -> Cookie? {
        guard let scope = scope(sent.domain, at: place), !sent.isSecure || place.isSecure else { return nil }
        let identity = Cookie.Identity(
            name: sent.name, domain: scope.domain, isHostOnly: scope.isHostOnly, path: sent.path ?? place.defaultPath)
        return Cookie(
            identity, value: sent.value, expires: expiry(sent, now), isSecure: sent.isSecure,
            isHTTPOnly: sent.isHTTPOnly)
    }

    /// Max-Age counts before Expires, and neither for more than 400 days (RFC 6265bis, 5.6.1 and 5.6.2).
    private func expiry(_ sent: SetCookie, _ now: Double) -> Double? {
        if let age = sent.maxAge { return age > 0 ? now + min(age, Bounds.life) : -.infinity }
        return sent.expires.map { min($0, now + Bounds.life) }
    }

    /// Whom a cookie is for; nil when the host may not set it for that domain.
    private func scope(_ wanted: [UInt8]?, at place: CookiePlace) -> (domain: String, isHostOnly: Bool)? {
        guard let wanted else { return (place.host, true) }
        guard wanted.allSatisfy({ $0 < 0x80 }) else { return nil }
        let domain = String(decoding: wanted, as: UTF8.self)
        guard place.domains.contains(domain) else { return nil }
        // Nobody owns a public suffix, so nobody may set a cookie for all that is below it.
        if PublicSuffixes().isPublicSuffix(domain) { return domain == place.host ? (domain, true) : nil }
        return (domain, isAddress(domain))
    }

    /// A plain-http answer must not overlay what came over https (RFC 6265bis, 5.7, step 16).
    private func shadowsSecure(_ cookie: Cookie, _ place: CookiePlace) -> Bool {
        guard !place.isSecure, !cookie.isSecure else { return false }
        let (name, domain) = (cookie.identity.name, cookie.identity.domain)
        return entries.contains { other, entries in
            (domain == other || lies(domain, below: other) || lies(other, below: domain))
                && entries.contains {
                    $0.cookie.isSecure && $0.cookie.identity.name == name
                        && pathMatches(cookie.identity.path, $0.cookie.identity.path)
                }
        }
    }

    private func lies(_ host: String, below domain: String) -> Bool {
        !isAddress(host) && host.utf8.count > domain.utf8.count && host.hasSuffix("." + domain)
    }
}
