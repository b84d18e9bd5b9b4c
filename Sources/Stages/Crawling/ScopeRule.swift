import Model
import URLs

/// Whether a URL lies where the start URLs allow; `http` and `https` of one host are one place, as links mix them.
struct ScopeRule: Sendable {
    let scope: Scope
    private let starts: [WebURL]
    /// `host:port` without a default port, and the folder, for each start.
    private let places: [(authority: String, folder: String)]
    private let hosts: Set<String>
    private let domains: Set<String>
    private let suffixes = PublicSuffixes()

    init(_ scope: Scope, starts: [WebURL]) {
        self.scope = scope
        self.starts = starts
        var seen: Set<String> = []
        places = starts.map { (authority(of: $0), folder(of: $0)) }.filter { seen.insert($0.0 + $0.1).inserted }
        hosts = Set(starts.compactMap(\.host))
        let suffixes = suffixes
        domains = Set(starts.compactMap { $0.registrableDomain(suffixes) ?? $0.host })
    }

    /// Nil for a URL in scope, else why it is not.
    func reason(against url: WebURL) -> String? {
        let host = url.host ?? ""
        switch scope {
        case .any: return nil
        case .host:
            return hosts.contains(host) ? nil : "host \(host) is not \(listed(hosts))"
        case .domain:
            let domain = url.registrableDomain(suffixes) ?? host
            return domains.contains(domain) ? nil : "domain \(domain) is not \(listed(domains))"
        case .prefix:
            let authority = authority(of: url)
            let path = url.path
            if places.contains(where: { $0.authority == authority && path.utf8.starts(with: $0.folder.utf8) }) {
                return nil
            }
            guard places.contains(where: { $0.authority == authority }) else {
                return "host \(authority) is not \(listed(Set(places.map(\.authority))))"
            }
            return "not below \(listed(Set(places.filter { $0.authority == authority }.map(\.folder))))"
        }
    }
}

private func authority(of url: WebURL) -> String { (url.host ?? "") + (url.port.map { ":\($0)" } ?? "") }

/// One of them, and how many more there are.
private func listed(_ names: Set<String>) -> String {
    let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    guard let first = sorted.first else { return "any start URL" }
    return sorted.count == 1 ? first : "\(first) or \(sorted.count - 1) more"
}
