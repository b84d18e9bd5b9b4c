/// Who may have a request in flight: at most `total` at once, at most `perHost` to one host, and a turn for every host
/// with waiting work before any host has its next. A pure machine; ``Turnstile`` makes tasks wait by it.
struct HostGate {
    private struct Host {
        var active = 0
        var waiting = Queue<Int>()
        /// In the ring, because it has waiting work and room.
        var isListed = false
    }

    private let total: Int
    private let perHost: Int
    private var active = 0
    private var hosts: [String: Host] = [:]
    private var ring = Queue<String>()
    /// Given up while waiting; skipped when their turn comes.
    private var abandoned: Set<Int> = []

    init(total: Int, perHost: Int) {
        self.total = max(total, 1)
        self.perHost = max(perHost, 1)
    }

    /// - Returns: the tickets that may go now.
    mutating func arrive(_ ticket: Int, at host: String) -> [Int] {
        hosts[host, default: Host()].waiting.append(ticket)
        list(host)
        return admit()
    }

    /// A request to the host has ended.
    /// - Returns: the tickets that may go now.
    mutating func leave(_ host: String) -> [Int] {
        active -= 1
        hosts[host]?.active -= 1
        list(host)
        return admit()
    }

    /// The ticket, which is waiting, is not wanted any more.
    mutating func abandon(_ ticket: Int) { abandoned.insert(ticket) }

    private mutating func admit() -> [Int] {
        var admitted: [Int] = []
        while active < total, let name = ring.popFirst() {
            guard var host = hosts[name] else { continue }
            host.isListed = false
            while let ticket = host.waiting.popFirst() {
                if abandoned.remove(ticket) != nil { continue }
                host.active += 1
                active += 1
                admitted.append(ticket)
                break
            }
            hosts[name] = host
            list(name)
        }
        return admitted
    }

    /// Puts the host at the ring's end if it could use a turn, and forgets it when nothing is left of it.
    private mutating func list(_ name: String) {
        guard let host = hosts[name], !host.isListed else { return }
        if !host.waiting.isEmpty && host.active < perHost {
            hosts[name]?.isListed = true
            ring.append(name)
        } else if host.waiting.isEmpty && host.active == 0 {
            hosts[name] = nil
        }
    }
}

/// First in, first out, without moving what is left at every step.
struct Queue<Element> {
    private var elements: [Element] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        defer {
            head += 1
            if head == elements.count || head >= 256 && head * 2 >= elements.count {
                elements.removeFirst(head)
                head = 0
            }
        }
        return elements[head]
    }
}
