import Model
import Naming
import Storing
import Times
import URLs

/// What is to get a name, or has lost it.
extension NamingPass {
    /// A box, since it goes from hand to hand.
    final class Unnamed: Sendable {
        let visit: Visit
        let url: WebURL
        let resource: KnownResource

        init(_ visit: Visit, _ url: WebURL, _ resource: KnownResource) {
            self.visit = visit
            self.url = url
            self.resource = resource
        }

        /// Seconds since 1970.
        var modified: Double? { resource.lastModified.flatMap { HTTPDate.parse($0) } ?? visit.started }

        var facts: NameFacts {
            let final = resource.finalURL.flatMap { $0 == visit.url ? url : WebURL($0) }
            var facts = NameFacts(first: url, final: final)
            facts.contentType = resource.contentType.map { Array($0.utf8) }
            facts.disposition = resource.disposition
            facts.charset = visit.charset
            facts.download = visit.download
            facts.text = visit.text
            facts.sha256 = resource.content.sha256
            facts.modified = resource.lastModified.flatMap { HTTPDate.parse($0) }
            facts.downloaded = visit.started
            return facts
        }
    }

    /// Visits with content that has no name yet, or whose name somebody removed.
    func unnamed(_ visits: [Visit], _ namings: inout [Int64: Naming]) async throws -> [Unnamed] {
        let withContent = visits.compactMap { visit -> Unnamed? in
            guard [.fetched, .notModified].contains(visit.state), let resource = visit.known,
                let url = WebURL(visit.url)
            else { return nil }
            return Unnamed(visit, url, resource)
        }
        let named = withContent.compactMap { one in one.resource.name.map { (name: $0, content: one.resource.content) }
        }
        var present = await store.present(named, of: job.name, copies: job.dedupe == .off)[...]
        let lost = withContent.filter { $0.resource.name != nil && present.popFirst() == false }
        try await restore(lost, &namings)
        return withContent.filter { $0.resource.name == nil && $0.resource.duplicateOf == nil }
    }

    /// Gives content back the names that the catalog says it has; an item whose name cannot be had is a failed one.
    private func restore(_ lost: [Unnamed], _ namings: inout [Int64: Naming]) async throws {
        guard !lost.isEmpty else { return }
        let names = lost.map { (name: $0.resource.name ?? "", content: $0.resource.content) }
        let restorations = await store.restore(
            names, of: job.name, copies: job.dedupe == .off, at: currentTime())
        for (one, restoration) in zip(lost, restorations) {
            let name = "files/\(job.name)/\(one.resource.name ?? "")"
            switch restoration {
            case .restored: break
            case .replaced:
                await events.warn(
                    "name-lost",
                    "\(name) was changed by somebody: what it was lies in quarantine/\(job.name) for a week, "
                        + "the archived content has the name again")
            case .failed(let failure):
                namings[one.visit.id] = .failed(
                    Failure(
                        failure.code,
                        "\(name) is missing or changed, and could not be restored: \(failure.message); move away what "
                            + "stands there"))
            }
        }
    }
}
