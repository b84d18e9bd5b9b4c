/// Who may have a request in flight: at most `total` at once, at most so many to one host as it bears, not before a
/// pause between two starts is over, and a turn for every host with waiting work before any host has its next. A pure
/// machine, to which the time is told as seconds from any beginning; ``Turnstile`` makes tasks wait by it.
struct HostGate {
    private struct Host {
        var active = 0
        var waiting = Queue<Int>()
        /// Those that have waited by themselves for what the host asked.
        var returning = Queue<Int>()
        /// In the ring, because it has waiting work and room.
        var isListed = false
        /// Requests in flight that it bears, as far as its answers tell.
        var limit: Int
        /// Good answers since the limit last changed.
        var goodAnswers = 0
        var lastCut = -Double.infinity
        /// Seconds between two starts.
        var delay: Double
        /// No start before: the pause between two starts.
        var nextStart = -Double.infinity
        /// No start before, but of those that return: what the host has asked for.
        var pausedUntil = -Double.infinity

        var hasWork: Bool { !waiting.isEmpty || !returning.isEmpty }

        /// When its next request may start.
        var opening: Double { returning.isEmpty ? max(nextStart, pausedUntil) : nextStart }
    }

    /// What an answer says of how much its host bears.
    enum Sign: Sendable {
        case good
        case none
        /// 429 or 503, with the seconds that it asks to wait.
        case overloaded(wait: Double?)
    }

    private let total: Int
    private let perHost: Int
    private let delay: Double
    private var active = 0
    private var hosts: [String: Host] = [:]
    private var ring = Queue<String>()
    /// Hosts with work and room whose time has not come.
    private var sleeping: Set<String> = []
    /// Given up while waiting; skipped when their turn comes.
    private var abandoned: Set<Int> = []

    /// - Parameter delay: seconds between two starts to one host.
    init(total: Int, perHost: Int, delay: Double = 0) {
        self.total = max(total, 1)
        self.perHost = max(perHost, 1)
        self.delay = delay
    }

    /// When it is worth asking again; nil when no host waits for its time.
    var nextWake: Double? { sleeping.compactMap { hosts[$0]?.opening }.min() }

    /// - Parameter isReturning: the ticket has waited as long as the host asked.
    /// - Returns: the tickets that may go now.
    mutating func arrive(_ ticket: Int, at host: String, isReturning: Bool = false, now: Double = 0) -> [Int] {
        let new = newHost
        if isReturning {
            hosts[host, default: new].returning.append(ticket)
        } else {
            hosts[host, default: new].waiting.append(ticket)
        }
        list(host, now)
        return admit(now)
    }

    /// A request to the host has ended.
    /// - Returns: the tickets that may go now.
    mutating func leave(_ host: String, _ sign: Sign = .none, now: Double = 0) -> [Int] {
        active -= 1
        hosts[host]?.active -= 1
        learn(sign, of: host, now)
        list(host, now)
        return admit(now)
    }

    /// Time has passed.
    /// - Returns: the tickets that may go now.
    mutating func wake(_ now: Double) -> [Int] {
        for host in sleeping.filter({ (hosts[$0]?.opening ?? now) <= now }).sorted() { list(host, now) }
        return admit(now)
    }

    /// The ticket, which is waiting, is not wanted any more.
    mutating func abandon(_ ticket: Int) { abandoned.insert(ticket) }

    /// Asks for at least that many seconds between two starts to a host.
    mutating func slow(_ host: String, to seconds: Double) {
        let new = newHost
        hosts[host, default: new].delay = max(delay, seconds)
    }

    private var newHost: Host { Host(limit: perHost, delay: delay) }

    private mutating func learn(_ sign: Sign, of name: String, _ now: Double) {
        guard var host = hosts[name] else { return }
        switch sign {
        case .none: break
        case .good:
            host.goodAnswers += 1
            if host.limit < perHost, host.goodAnswers >= host.limit {
                host.limit += 1
                host.goodAnswers = 0
            }
        case .overloaded(let wait):
            host.goodAnswers = 0
            host.pausedUntil = max(host.pausedUntil, now + (wait ?? 0))
            // What was on its way when the limit was cut says nothing of the new one.
            if now - host.lastCut >= 1 {
                host.limit = max(host.limit / 2, 1)
                host.lastCut = now
            }
        }
        hosts[name] = host
    }

    private mutating func admit(_ now: Double) -> [Int] {
        var admitted: [Int] = []
        while active < total, let name = ring.popFirst() {
            guard var host = hosts[name] else { continue }
            host.isListed = false
            while let ticket = host.returning.popFirst() ?? (host.pausedUntil <= now ? host.waiting.popFirst() : nil) {
                if abandoned.remove(ticket) != nil { continue }
                host.active += 1
                host.nextStart = now + host.delay
                active += 1
                admitted.append(ticket)
                break
            }
            hosts[name] = host
            list(name, now)
        }
        return admitted
    }

    /// Puts the host at the ring's end if it could use a turn, and forgets it when nothing is left of it.
    private mutating func list(_ name: String, _ now: Double) {
        guard let host = hosts[name], !host.isListed else { return }
        sleeping.remove(name)
        if host.hasWork && host.active < host.limit {
            if host.opening > now {
                sleeping.insert(name)
            } else {
                hosts[name]?.isListed = true
                ring.append(name)
            }
        } else if !host.hasWork && host.active == 0 && host.limit == perHost && host.delay == delay
            && max(host.nextStart, host.pausedUntil) <= now
        {
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
