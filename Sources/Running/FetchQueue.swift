import Model
import Storing
import URLs

/// What is to be fetched next, in small batches from the catalog: the pages of one level, and beside them items.
/// A level's pages end before the next level's begin, so that what a run finds does not depend on who answers first.
struct FetchQueue {
    private let run: RunNumber
    private let store: Store
    private let mostPages: Int
    private let batch = 256
    private var level = -1
    private var lastPage: Int64 = 0
    private var lastItem: Int64 = 0
    private var pages: ArraySlice<Ready> = []
    private var items: ArraySlice<Ready> = []
    private var levelIsDrained = true
    private var pagesAreOver = false
    /// The catalog has no more items until something is added.
    private var itemsAreOver = false

    /// A resource and whether its content is still in the store.
    struct Ready {
        let resource: QueuedResource
        let url: WebURL
        let isHeld: Bool
    }

    init(run: RunNumber, store: Store, mostPages: Int) {
        self.run = run
        self.store = store
        self.mostPages = mostPages
    }

    /// The next resource; nil when none is at hand now.
    /// - Parameters:
    ///   - pagesUnderWay: how many possible pages are being fetched; the next level waits for them.
    ///   - pagesRead: how many of the bound on pages are used up.
    mutating func next(pagesUnderWay: Int, pagesRead: Int) async throws -> Ready? {
        if pages.isEmpty, !pagesAreOver { try await refillPages(pagesUnderWay, pagesRead) }
        if let page = pages.popFirst() { return page }
        while items.isEmpty, !itemsAreOver {
            let waiting = try await store.catalog.items(of: run, after: lastItem, limit: batch)
            lastItem = waiting.last?.id ?? lastItem
            itemsAreOver = waiting.isEmpty
            items = try await ready(waiting)
        }
        return items.popFirst()
    }

    /// Links were added to the catalog.
    mutating func noteLinks() { itemsAreOver = false }

    private mutating func refillPages(_ pagesUnderWay: Int, _ pagesRead: Int) async throws {
        if levelIsDrained, pagesUnderWay == 0 {
            let orders = try await store.catalog.openLevel(
                level + 1, of: run, room: mostPages - pagesRead,
                reason: "more pages than crawl.pages allows (\(mostPages))")
            // Without pages there is nothing that could lead to a deeper level.
            guard orders != nil else {
                pagesAreOver = true
                return
            }
            level += 1
            levelIsDrained = false
        }
        guard !levelIsDrained else { return }
        pages = try await ready(store.catalog.pages(of: run, after: lastPage, limit: batch))
        lastPage = pages.last?.resource.pageOrder ?? lastPage
        levelIsDrained = pages.isEmpty
        if levelIsDrained, pagesUnderWay == 0 { try await refillPages(pagesUnderWay, pagesRead) }
    }

    private func ready(_ resources: [QueuedResource]) async throws -> ArraySlice<Ready> {
        let held = await store.held(resources.compactMap(\.content))
        return resources.compactMap { resource in
            // The catalog holds nothing but URLs that were parsed; a damaged row is left out at the end of the run.
            WebURL(resource.url).map {
                Ready(resource: resource, url: $0, isHeld: resource.content.map(held.contains) ?? false)
            }
        }[...]
    }
}
