// MARK: - Other forms of the same URL

extension WebURL {
    /// Scheme, host and port, `https://example.org:8443`, the default port left out; "null" for schemes without a host.
    package var origin: String {
        switch layout.scheme {
        case .file, .other: "null"
        default:
            // Every URL that is fetched is asked for it, several times: mostly it is how the text begins.
            layout.hasCredentials
                ? text(0, Int(layout.schemeEnd) + 3) + text(Int(layout.hostStart), Int(layout.pathStart))
                : text(0, Int(layout.pathStart))
        }
    }

    /// Where the resource is served: the origin, also for sftp, which by the standard has none.
    package var site: String {
        layout.scheme == .other && scheme == "sftp"
            ? "sftp://\(host?.lowercased() ?? "")" + (port.map { ":\($0)" } ?? "") : origin
    }

    /// The form by which the catalog knows the resource: no fragment, no credentials; parsing has dropped the default
    /// port. Nothing else is changed that a server could tell apart.
    package var key: String { withoutFragment.withoutUserinfo.href }

    /// The key without the query parameters that the filter names; a query that has no others goes altogether.
    package func key(ignoring filter: ParameterFilter) -> String {
        let plain = withoutFragment.withoutUserinfo
        guard let query = plain.query else { return plain.href }
        let parameters = query.split(separator: "&", omittingEmptySubsequences: false)
        let kept = parameters.filter { !filter.names(parameter: $0) }
        // Untouched where nothing is named: even a bare question mark may mean something to a server.
        guard kept.count < parameters.count else { return plain.href }
        let head = plain.text(0, Int(plain.layout.queryStart))
        return kept.isEmpty ? head : head + "?" + kept.joined(separator: "&")
    }

    /// The URL without its fragment.
    package var withoutFragment: WebURL {
        guard layout.fragmentStart != 0 else { return self }
        var changed = layout
        changed.fragmentStart = 0
        return WebURL(serialized: Array(href.utf8.prefix(Int(layout.fragmentStart))), layout: changed)
    }

    /// The URL without user name and password.
    package var withoutUserinfo: WebURL {
        guard layout.hasCredentials else { return self }
        var bytes = Array(href.utf8)
        let start = layout.schemeEnd + 3
        let removed = layout.hostStart - start
        bytes.removeSubrange(Int(start)..<Int(layout.hostStart))
        var changed = layout
        changed.usernameEnd = start
        changed.hostStart = start
        changed.hostEnd -= removed
        changed.pathStart -= removed
        if changed.queryStart != 0 { changed.queryStart -= removed }
        if changed.fragmentStart != 0 { changed.fragmentStart -= removed }
        return WebURL(serialized: bytes, layout: changed)
    }
}
