import Crawling
import Model
import Storing
import URLs

/// What a page leads to.
extension CrawlLoop {
    /// - Returns: false when the page leads nowhere.
    func follow(_ visited: Visited, _ progress: inout Progress) -> Bool {
        guard let links = visited.links, let head = visited.result.head else { return false }
        let discoveries = plan.discoveries(on: links, at: head.url, depth: visited.resource.depth).map { found in
            var found = found
            if case .fetch(let purpose) = found.verdict, purpose != .item,
                let reason = progress.growth.reason(against: found.link.url)
            {
                found.verdict = .skip(reason)
            }
            return found
        }
        let page = Catalog.FoundOn(
            url: visited.result.request.url, pageOrder: visited.resource.pageOrder, charset: visited.charset)
        progress.following = Following(
            visited: visited, links: links, url: head.url, page: page, count: discoveries.count, rest: discoveries[...])
        return true
    }

    /// As many links as are taken in before somebody is sent to fetch them: a list may have a million.
    private static let stride = 256

    /// Takes in some of a page's links; what is said of the page as a whole follows the last of them.
    func followOn(_ progress: inout Progress) async throws {
        guard var following = progress.following else { return }
        // Nobody else holds it, or every step would copy what came before.
        progress.following = nil
        let some = Array(following.rest.prefix(Self.stride))
        following.rest = following.rest.dropFirst(Self.stride)
        following.new += try await store.catalog.add(some, to: run, foundOn: following.page).map { some[$0] }
        guard following.rest.isEmpty else {
            progress.following = following
            return
        }
        let (visited, links, url) = (following.visited, following.links, following.url)
        let omitted = isPlan ? plan.omissions(on: links, depth: visited.resource.depth) : []
        if !omitted.isEmpty { _ = try await store.catalog.add(omitted, to: run, foundOn: following.page) }
        await watchGrowth(visited, following.new, &progress)
        if links.isCut {
            await events.warn(
                "page-cut", "more than \(LinkExtractor.mostLinks) links; the rest was left out", url: url.displayed)
        }
        if links.refusesEntities {
            await events.warn(
                "xml-entities", "the document declares XML entities that are not expanded", url: url.displayed)
        }
        await events.send(
            .pageRead(
                url: url, depth: visited.resource.depth, links: following.count, bytes: visited.result.received))
        await end(visited, &progress)
    }

    private func watchGrowth(_ visited: Visited, _ new: [Discovery], _ progress: inout Progress) async {
        let pages = new.filter { [.fetch(.page), .fetch(.ask)].contains($0.verdict) }.map(\.link.url)
        let trap = progress.growth.read(
            visited.result.request.url, from: visited.result.request.referrer, depth: visited.resource.depth,
            pages: pages, hasNewItems: new.contains { $0.verdict == .fetch(.item) })
        guard let trap else { return }
        await events.warn(
            "trap",
            "\(trap.pages) pages like \(trap.pattern) led only to more of their kind and to no item, as calendars and "
                + "session ids do: no more of them are read. If they lead somewhere, raise crawl.trap.",
            url: visited.result.request.url.displayed)
    }
}
