import CCurl
import CShims
import Lanes
import Synchronization

/// What the engine's one thread does: owns every libcurl handle and is the only one to touch them.
final class EngineLoop {
    private let inbox: Inbox
    private let writers: LanePool
    private let multi: UnsafeMutableRawPointer
    private let connections: Int
    private let clock = SuspendingClock()
    private var running: [ObjectIdentifier: Transfer] = [:]
    private var byHandle: [UnsafeMutableRawPointer: Transfer] = [:]
    /// Beyond the bound on connections, first come, first served.
    private var waiting: [Order] = []
    private var nextWaiting = 0
    /// Some request so far came with a rate limit.
    private var hasLimits = false
    /// Nothing times out before this.
    private var nextCheck: SuspendingClock.Instant
    /// Bytes that all bodies together may keep waiting for the disk.
    private static let bodyBudget = 16 << 20

    init?(_ inbox: Inbox, writers: LanePool, connections: Int) {
        guard let multi = curl_multi_init() else { return nil }
        self.inbox = inbox
        self.writers = writers
        self.connections = max(connections, 1)
        self.multi = multi
        nextCheck = clock.now
        nj_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, self.connections)
        nj_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, self.connections)
        nj_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    }

    deinit { curl_multi_cleanup(multi) }

    /// Runs until a `stop` message; then everything in flight has been failed.
    func run() {
        inbox.open(multi)
        while handleMessages() {
            startWaiting()
            var active: Int32 = 0
            curl_multi_perform(multi, &active)
            let hasEnded = endFinished()
            let wait = min(checkTimes(), resumeThrottled())
            // Slots that just became free are filled first.
            if hasEnded && nextWaiting < waiting.count { continue }
            curl_multi_poll(multi, nil, 0, wait, nil)
        }
        stop()
    }

    private func stop() {
        let error = HTTPError(.unavailable, "the fetch engine was shut down")
        for transfer in Array(running.values) { end(transfer, .failure(transfer.failure(error.kind, error.message))) }
        for order in waiting[nextWaiting...] { order.continuation.resume(returning: .failure(error)) }
        waiting = []
        for case .start(let order) in inbox.close() { order.continuation.resume(returning: .failure(error)) }
    }

    // MARK: Messages

    /// - Returns: false after `stop`.
    private func handleMessages() -> Bool {
        var goesOn = true
        for message in inbox.take() {
            switch message {
            case .start(let order): waiting.append(order)
            case .cancel(let ticket): cancel(ticket)
            case .resume(let ticket): resume(ticket)
            case .abort(let ticket, let error):
                if let transfer = running[ObjectIdentifier(ticket)] {
                    end(transfer, .failure(transfer.failure(error.kind, error.message)))
                }
            case .stop: goesOn = false
            }
        }
        return goesOn
    }

    private func cancel(_ ticket: Ticket) {
        if let transfer = running[ObjectIdentifier(ticket)] {
            end(transfer, .failure(transfer.failure(.cancelled, "cancelled")))
        } else if let index = waiting[nextWaiting...].firstIndex(where: { $0.ticket === ticket }) {
            waiting.remove(at: index).continuation.resume(returning: .failure(HTTPError(.cancelled, "cancelled")))
        }
    }

    private func resume(_ ticket: Ticket) {
        guard let transfer = running[ObjectIdentifier(ticket)] else { return }
        resume(transfer)
    }

    private func resume(_ transfer: Transfer) {
        transfer.isThrottled = false
        transfer.progress.begin(clock.now)
        let code = curl_easy_pause(transfer.handle.raw, CURLPAUSE_CONT)
        // What was held back is delivered within that call; a refusal of it ends nothing by itself.
        if code != CURLE_OK { end(transfer, transfer.outcome(code)) }
    }

    // MARK: Beginning

    private func startWaiting() {
        while running.count < connections, nextWaiting < waiting.count {
            let order = waiting[nextWaiting]
            nextWaiting += 1
            start(order)
        }
        guard nextWaiting > 1024 || nextWaiting == waiting.count else { return }
        waiting.removeFirst(nextWaiting)
        nextWaiting = 0
    }

    private func start(_ order: Order) {
        if order.ticket.isCancelled.load(ordering: .acquiring) {
            order.continuation.resume(returning: .failure(HTTPError(.cancelled, "cancelled")))
            return
        }
        do {
            let transfer = try prepare(order)
            running[ObjectIdentifier(order.ticket)] = transfer
            byHandle[transfer.handle.raw] = transfer
            hasLimits = hasLimits || order.request.rateLimit != nil
            nextCheck = min(nextCheck, deadline(of: transfer))
        } catch {
            order.continuation.resume(returning: .failure(error))
        }
    }

    private func prepare(_ order: Order) throws(HTTPError) -> Transfer {
        let request = order.request
        if request.proxy != nil, let address = request.literalAddress,
            !request.permitted.contains(address.addressClass)
        {
            throw HTTPError(.addressRefused, "\(address) is \(address.addressClass.phrase), where this may not lead")
        }
        // A handle for each: on one that is used again libcurl 7.88 writes past its memory when an answer's first header
        // line begins with a blank. What is dear, the connections, the multi handle keeps.
        guard let handle = EasyHandle() else {
            throw HTTPError(.unavailable, "no memory left for a transfer")
        }
        let bound = max(Transfer.pieceSize, min(1 << 20, Self.bodyBudget / connections))
        let transfer = Transfer(order, handle: handle, now: clock.now) { [inbox, writers] sink in
            BodyFlow(order, sink: sink, writers: writers, inbox: inbox, bound: bound)
        }
        try request.apply(to: handle)
        try handle.setCallbacks(Unmanaged.passUnretained(transfer).toOpaque())
        guard curl_multi_add_handle(multi, handle.raw) == CURLM_OK else {
            throw HTTPError(.unavailable, "libcurl takes no further transfer")
        }
        return transfer
    }

    // MARK: Ending

    /// - Returns: true when a transfer ended.
    private func endFinished() -> Bool {
        var hasEnded = false
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let raw = message.pointee.easy_handle,
                let transfer = byHandle[raw]
            else { continue }
            hasEnded = true
            end(transfer, transfer.outcome(message.pointee.data.result))
        }
        return hasEnded
    }

    /// Takes the transfer from libcurl and answers its caller, through the writers when a sink is involved.
    private func end(_ transfer: Transfer, _ outcome: Outcome) {
        curl_multi_remove_handle(multi, transfer.handle.raw)
        byHandle[transfer.handle.raw] = nil
        running[ObjectIdentifier(transfer.order.ticket)] = nil
        // Longer ones wait for the disk, or a slow one would have all that comes meanwhile in memory.
        if case .success = outcome, transfer.received <= 64 << 10 { transfer.order.receiver.ended() }
        guard let flow = transfer.flow else {
            transfer.order.continuation.resume(returning: outcome)
            return
        }
        switch outcome {
        case .success(let response): flow.finish(transfer.takeBody(), response)
        case .failure(let error): flow.fail(transfer.takeBody(), error)
        }
    }

    // MARK: Time

    /// Ends what has taken too long.
    /// - Returns: milliseconds until it is worth looking again.
    private func checkTimes() -> Int32 {
        guard !running.isEmpty else { return 3_600_000 }
        let now = clock.now
        if now >= nextCheck {
            for transfer in Array(running.values) {
                if let error = transfer.overdue(now) { end(transfer, .failure(error)) }
            }
            // Not more often than this, however many transfers there are.
            let soonest = running.values.map(deadline).min() ?? now.advanced(by: .seconds(3600))
            nextCheck = max(soonest, now.advanced(by: .milliseconds(10)))
        }
        return Int32(clamping: min(now.duration(to: nextCheck).milliseconds + 1, 3_600_000))
    }

    /// Lets transfers go on that waited for their share of the rate.
    /// - Returns: milliseconds until it is worth looking again.
    private func resumeThrottled() -> Int32 {
        guard hasLimits else { return 3_600_000 }
        var soonest = Duration.seconds(3600)
        for transfer in Array(running.values) where transfer.isThrottled {
            guard let limit = transfer.order.request.rateLimit else { continue }
            if limit.wait(clock.now) == nil { resume(transfer) }
            if let wait = limit.wait(clock.now) { soonest = min(soonest, wait) }
        }
        return Int32(clamping: soonest.milliseconds + 1)
    }

    /// The soonest that the transfer can time out; while its idle time does not run it may begin to at any moment.
    private func deadline(of transfer: Transfer) -> SuspendingClock.Instant {
        let request = transfer.order.request
        let idle = (transfer.progress.since ?? clock.now).advanced(by: request.idleTimeout)
        return min(transfer.started.advanced(by: request.totalTimeout), idle)
    }
}

extension Transfer {
    /// Why the transfer has to end by now, if it has to.
    func overdue(_ now: SuspendingClock.Instant) -> HTTPError? {
        let request = order.request
        if started.advanced(by: request.totalTimeout) <= now {
            return failure(.totalTimeout, "\(request.authority) took longer than \(request.totalTimeout) in all")
        }
        guard let idle = progress.since, idle.advanced(by: request.idleTimeout) <= now else { return nil }
        let slow = request.idleFloor > 1 ? "has sent less than \(request.idleFloor) bytes a second for" : nil
        let what = head == nil ? "has not answered for" : slow ?? "has sent nothing for"
        return failure(.idleTimeout, "\(request.authority) \(what) \(request.idleTimeout)")
    }

    /// What libcurl's result and our own checks make of the transfer.
    func outcome(_ code: CURLcode) -> Outcome {
        switch verdict {
        case .failed(let error): return .failure(signed(error))
        case .cut: return response(isCut: true)
        case nil: break
        }
        if head == nil, let refusal = refusalHead(code) {
            _ = begin(refusal)
            return response(isCut: true)
        }
        guard code == CURLE_OK else { return .failure(failure(code)) }
        if head == nil, order.request.isFile {
            // No byte has come: the file is empty, or all of it is there already.
            _ = begin(fileHead(isComplete: order.request.firstByte > 0))
            if case .failed(let error) = verdict { return .failure(signed(error)) }
        }
        if let length = head?.contentLength, length != received {
            return .failure(
                failure(.truncated, "\(order.request.authority) sent \(received) bytes of \(length) announced"))
        }
        return response(isCut: false)
    }

    private func response(isCut: Bool) -> Outcome {
        guard let head else {
            return .failure(failure(.reset, "\(order.request.authority) closed the connection within the head"))
        }
        return .success(
            HTTPResponse(
                head: head, body: flow == nil ? takeBody() : [], received: received, isCut: isCut, peer: peer,
                newConnections: handle.number(CURLINFO_NUM_CONNECTS)))
    }
}
