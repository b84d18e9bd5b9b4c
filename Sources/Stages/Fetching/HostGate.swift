/// Who may have a request in flight: at most so many of one job at once, at most so many to one host as every job with
/// work there allows and as it bears, not before a pause between two starts is over, and a turn for every host with
/// waiting work before any host has its next. A pure machine, to which the time is told as seconds from any beginning;
/// ``HostTurns`` makes tasks wait by it.
struct HostGate {
    /// What jobs share of a host.
    private struct Host {
        let name: String
        var active = 0
        /// The jobs with requests to it, in flight or waiting.
        var jobs: Set<Int> = []
        /// Requests in flight that it bears, as far as its answers tell; nil while it bears what the jobs allow.
        var borne: Int?
        /// Good answers since that last changed.
        var goodAnswers = 0
        var lastCut = -Double.infinity
        /// Seconds between two starts that its robots.txt asks for.
        var slowness = 0.0
        var lastStart = -Double.infinity
        /// No start before, but of those that return: what the host has asked for.
        var pausedUntil = -Double.infinity
    }

    /// One job's requests to one host.
    private struct Line {
        var active = 0
        var waiting = Queue<Int>()
        /// Those that have waited by themselves for what the host asked.
        var returning = Queue<Int>()
        /// In the job's ring, because it has waiting work and room.
        var isListed = false

        var hasWork: Bool { !waiting.isEmpty || !returning.isEmpty }
    }

    private struct Job {
        let total: Int
        let perHost: Int
        let delay: Double
        var active = 0
        var ring = Queue<Int>()
        var lines: [Int: Line] = [:]
    }

    private struct Place: Hashable {
        let job: Int
        let host: Int
    }

    /// What an answer says of how much its host bears.
    enum Sign: Sendable {
        case good
        case none
        /// 429 or 503, with the seconds that it asks to wait.
        case overloaded(wait: Double?)
    }

    private var jobs: [Int: Job] = [:]
    /// The numbers of the jobs, in order.
    private var order: [Int] = []
    private var lastJob = 0
    /// Who was admitted last: the next turn is another's.
    private var lastAdmitted = 0
    private var hosts: [Int: Host] = [:]
    /// The numbers of the hosts: their names are long to hash and to compare.
    private var numbers: [String: Int] = [:]
    private var lastHost = 0
    /// Lines with work and room whose time has not come.
    private var sleeping: Set<Place> = []
    /// Given up while waiting; skipped when their turn comes.
    private var abandoned: Set<Int> = []

    init() {}

    /// A gate for one job, whose number is 0.
    init(total: Int, perHost: Int, delay: Double = 0) {
        lastJob = -1
        _ = join(total: total, perHost: perHost, delay: delay)
    }

    /// Takes in a job.
    /// - Parameter delay: seconds between two starts to one host.
    /// - Returns: the job's number here.
    mutating func join(total: Int, perHost: Int, delay: Double) -> Int {
        lastJob += 1
        jobs[lastJob] = Job(total: max(total, 1), perHost: max(perHost, 1), delay: delay)
        order.append(lastJob)
        return lastJob
    }

    /// A job has ended, and nothing of it is in flight any more.
    /// - Returns: the tickets of others that may go now.
    mutating func part(_ id: Int, now: Double = 0) -> [Int] {
        guard let job = jobs.removeValue(forKey: id) else { return [] }
        order.removeAll { $0 == id }
        sleeping = sleeping.filter { $0.job != id }
        for (host, line) in job.lines {
            hosts[host]?.jobs.remove(id)
            hosts[host]?.active -= line.active
            relist(host, now)
        }
        // The next job asks the hosts anew.
        if jobs.isEmpty { (hosts, numbers) = ([:], [:]) }
        return admit(now)
    }

    /// When it is worth asking again; nil when no host waits for its time.
    var nextWake: Double? { sleeping.compactMap(opening).min() }

    /// - Parameter isReturning: the ticket has waited as long as the host asked.
    /// - Returns: the tickets that may go now.
    mutating func arrive(
        _ ticket: Int, at name: String, of job: Int = 0, isReturning: Bool = false, now: Double = 0
    ) -> [Int] {
        let host = number(of: name)
        hosts[host]?.jobs.insert(job)
        if isReturning {
            jobs[job]?.lines[host, default: Line()].returning.append(ticket)
        } else {
            jobs[job]?.lines[host, default: Line()].waiting.append(ticket)
        }
        list(Place(job: job, host: host), now)
        return admit(now)
    }

    /// A request to the host has ended.
    /// - Returns: the tickets that may go now.
    mutating func leave(_ name: String, _ sign: Sign = .none, of job: Int = 0, now: Double = 0) -> [Int] {
        let host = number(of: name)
        jobs[job]?.active -= 1
        jobs[job]?.lines[host]?.active -= 1
        hosts[host]?.active -= 1
        learn(sign, of: host, now)
        forget(Place(job: job, host: host), now)
        relist(host, now)
        return admit(now)
    }

    /// Time has passed.
    /// - Returns: the tickets that may go now.
    mutating func wake(_ now: Double) -> [Int] {
        let awake = sleeping.filter { (opening($0) ?? now) <= now }
        for place in awake.sorted(by: { ($0.host, $0.job) < ($1.host, $1.job) }) { list(place, now) }
        return admit(now)
    }

    /// The ticket, which is waiting, is not wanted any more.
    mutating func abandon(_ ticket: Int) { abandoned.insert(ticket) }

    /// Asks for at least that many seconds between two starts to a host.
    mutating func slow(_ name: String, to seconds: Double) { hosts[number(of: name)]?.slowness = seconds }

    // MARK: What holds for a host

    private mutating func number(of name: String) -> Int {
        if let number = numbers[name] { return number }
        lastHost += 1
        numbers[name] = lastHost
        hosts[lastHost] = Host(name: name)
        return lastHost
    }

    /// The narrowest of what the jobs with work there allow, and what it bears.
    private func limit(_ host: Host) -> Int { min(bound(host), host.borne ?? Int.max) }

    private func bound(_ host: Host) -> Int { host.jobs.compactMap { jobs[$0]?.perHost }.min() ?? 1 }

    /// When the line's next request may start.
    private func opening(_ place: Place) -> Double? {
        guard let host = hosts[place.host], let line = jobs[place.job]?.lines[place.host] else { return nil }
        let delay = host.jobs.reduce(host.slowness) { max($0, jobs[$1]?.delay ?? 0) }
        let next = host.lastStart + delay
        return line.returning.isEmpty ? max(next, host.pausedUntil) : next
    }

    private mutating func learn(_ sign: Sign, of number: Int, _ now: Double) {
        guard var host = hosts[number] else { return }
        switch sign {
        case .none: break
        case .good:
            guard let borne = host.borne else { return }
            host.goodAnswers += 1
            if host.goodAnswers >= borne {
                host.borne = borne + 1 < bound(host) ? borne + 1 : nil
                host.goodAnswers = 0
            }
        case .overloaded(let wait):
            host.goodAnswers = 0
            host.pausedUntil = max(host.pausedUntil, now + (wait ?? 0))
            // What was on its way when the limit was cut says nothing of the new one.
            if now - host.lastCut >= 1 {
                host.borne = max(limit(host) / 2, 1)
                host.lastCut = now
            }
        }
        hosts[number] = host
    }

    // MARK: Turns

    /// One turn for each job after the other, for as long as any of them has one.
    private mutating func admit(_ now: Double) -> [Int] {
        var admitted: [Int] = []
        var isOver = false
        while !isOver {
            isOver = true
            let start = order.firstIndex { $0 > lastAdmitted } ?? 0
            for job in order[start...] + order[..<start] {
                guard let ticket = admitOne(of: job, now) else { continue }
                admitted.append(ticket)
                lastAdmitted = job
                isOver = false
            }
        }
        return admitted
    }

    private mutating func admitOne(of id: Int, _ now: Double) -> Int? {
        while let job = jobs[id], job.active < job.total, let host = jobs[id]?.ring.popFirst() {
            let place = Place(job: id, host: host)
            jobs[id]?.lines[host]?.isListed = false
            let ticket = isOpen(place, now) ? take(from: place, now) : nil
            list(place, now)
            if let ticket { return ticket }
        }
        return nil
    }

    /// Another job may have taken the last place since the line was listed.
    private func isOpen(_ place: Place, _ now: Double) -> Bool {
        guard let host = hosts[place.host], host.active < limit(host) else { return false }
        return opening(place) ?? .infinity <= now
    }

    private mutating func take(from place: Place, _ now: Double) -> Int? {
        guard var line = jobs[place.job]?.lines[place.host] else { return nil }
        defer { jobs[place.job]?.lines[place.host] = line }
        let isPaused = (hosts[place.host]?.pausedUntil ?? -.infinity) > now
        while let ticket = line.returning.popFirst() ?? (isPaused ? nil : line.waiting.popFirst()) {
            if abandoned.remove(ticket) != nil { continue }
            line.active += 1
            jobs[place.job]?.active += 1
            hosts[place.host]?.active += 1
            hosts[place.host]?.lastStart = now
            return ticket
        }
        return nil
    }

    /// A host's room or time has changed for all who have work there.
    private mutating func relist(_ host: Int, _ now: Double) {
        for job in hosts[host]?.jobs.sorted() ?? [] { list(Place(job: job, host: host), now) }
    }

    /// Puts the line at the end of its job's ring if it could use a turn, and forgets it when nothing is left of it.
    private mutating func list(_ place: Place, _ now: Double) {
        guard let line = jobs[place.job]?.lines[place.host], let host = hosts[place.host], !line.isListed else {
            return
        }
        sleeping.remove(place)
        guard line.hasWork else { return forget(place, now) }
        guard host.active < limit(host), let opening = opening(place) else { return }
        if opening > now {
            sleeping.insert(place)
        } else {
            jobs[place.job]?.lines[place.host]?.isListed = true
            jobs[place.job]?.ring.append(place.host)
        }
    }

    private mutating func forget(_ place: Place, _ now: Double) {
        if let line = jobs[place.job]?.lines[place.host] {
            guard !line.hasWork, line.active == 0, !line.isListed else { return }
            jobs[place.job]?.lines[place.host] = nil
        }
        hosts[place.host]?.jobs.remove(place.job)
        guard let host = hosts[place.host], host.jobs.isEmpty, host.active == 0, host.borne == nil, host.slowness == 0
        else { return }
        let delay = jobs.values.reduce(0) { max($0, $1.delay) }
        if max(host.lastStart + delay, host.pausedUntil) <= now {
            hosts[place.host] = nil
            numbers[host.name] = nil
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
