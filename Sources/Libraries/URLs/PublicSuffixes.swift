import CPSL

/// The public suffix list (publicsuffix.org) as libpsl has it built in, private section included.
package struct PublicSuffixes: Sendable {
    package init() {}

    /// The domain that someone can register above which `host` lies: `www.bbc.co.uk` gives `bbc.co.uk`. Nil for a
    /// public suffix itself, an address, and a name without a dot. `host` is in ASCII and lower case, as in a `WebURL`.
    package func registrableDomain(of host: String) -> String? {
        let name = withoutTrailingDot(host)
        guard !name.isEmpty, !isAddress(name) else { return nil }
        return name.withCString { domain in
            // Points into `domain`; the built-in list is static and never freed.
            psl_registrable_domain(psl_builtin(), domain).map { String(cString: $0) }
        }
    }

    /// Whether nobody can register `host` itself, as `com` and `co.uk`: cookies must not be set for it.
    package func isPublicSuffix(_ host: String) -> Bool {
        let name = withoutTrailingDot(host)
        guard !name.isEmpty, !isAddress(name) else { return false }
        return name.withCString { psl_is_public_suffix(psl_builtin(), $0) == 1 }
    }

    private func isAddress(_ host: String) -> Bool {
        host.utf8.first == UInt8(ascii: "[") || endsInNumber(Array(host.utf8)[...])
    }

    private func withoutTrailingDot(_ host: String) -> String {
        host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
    }
}

extension WebURL {
    /// The registrable domain of the host, by the given list; nil where there is none.
    package func registrableDomain(_ suffixes: PublicSuffixes) -> String? {
        host.flatMap { suffixes.registrableDomain(of: $0) }
    }
}
