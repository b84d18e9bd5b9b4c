import HTTP
import Synchronization
import URLs

/// Which parts of the network a job may reach. The manifest's author may name any host except a cloud's metadata
/// service; what pages and servers name must be public, or in the class where a start turned out to be.
final class AddressRules: Sendable {
    private struct Known {
        /// Where the starts are.
        var classes = AddressClasses.public
        /// Origins of starts that have answered. Their first address counts: one that becomes private later is no
        /// longer what the author meant (DNS rebinding).
        var origins: Set<String> = []
    }
    private let known = Mutex(Known())
    private let starts: Set<String>
    private let allowsPrivate: Bool

    init(starts: [WebURL], allowsPrivate: Bool) {
        self.starts = Set(starts.map(\.site))
        self.allowsPrivate = allowsPrivate
    }

    /// - Parameters:
    ///   - isNamed: the URL is a start itself.
    ///   - isFirstHop: no server's redirect has led there.
    func permitted(_ url: WebURL, isNamed: Bool, isFirstHop: Bool) -> AddressClasses {
        if allowsPrivate { return .all }
        let site = url.site
        return known.withLock { known in
            let isFirstContact = starts.contains(site) && !known.origins.contains(site)
            return isFirstHop && (isNamed || isFirstContact) ? .allButMetadata : known.classes
        }
    }

    /// A first hop was answered from an address of this class.
    func learn(_ url: WebURL, isNamed: Bool, at place: AddressClass) {
        guard isNamed || starts.contains(url.site) else { return }
        known.withLock { known in
            guard known.origins.insert(url.site).inserted || isNamed else { return }
            known.classes.insert(AddressClasses(place))
        }
    }
}
