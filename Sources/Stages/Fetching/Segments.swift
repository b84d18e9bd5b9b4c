import HTTP
import Model
import URLs

extension Fetcher {
    /// What became of one range.
    private struct SegmentEnd: Sendable {
        var received: Int64 = 0
        var ending: Ending?
        /// The server is not fit for ranges.
        var isUnfit = false
    }

    /// The part that the ranges of a body go to: the one that earlier attempts have left, if it is of the same
    /// representation, else a new one.
    func segmentedPart(_ origin: PartOrigin, _ attempt: inout Attempt) async -> SegmentedPart? {
        if let kept = attempt.keptSegments {
            let isSame =
                kept.origin.validator == origin.validator && kept.total == origin.total
                && kept.origin.agrees(with: origin.headers)
            if isSame {
                attempt.resumedFrom = kept.bytes > 0 ? kept.bytes : nil
                return kept
            }
            await parts.run { kept.discard() }
            attempt.keptSegments = nil
        }
        guard let total = origin.total else { return nil }
        let (name, directory, keepFree) = (nextPartName(), partial, rules.keepFree)
        let made = await parts.run {
            try? SegmentedPart.make(name, in: directory, origin, total: total, keepFree: keepFree)
        }
        attempt.keptSegments = made
        return made
    }

    /// Fetches all ranges that are missing, at once, and puts the whole together.
    func fetch(_ part: SegmentedPart, _ attempt: inout Attempt) async -> Ending {
        let missing = part.segments.filter { !$0.isComplete }
        let template = attempt
        let ends = await withTaskGroup(of: SegmentEnd.self) { group in
            for segment in missing { group.addTask { await self.fetch(segment, of: part, template) } }
            var ends: [SegmentEnd] = []
            for await end in group {
                ends.append(end)
                if end.isUnfit { group.cancelAll() }
            }
            return ends
        }
        attempt.received += ends.reduce(0) { $0 + $1.received }
        if let unfit = ends.first(where: \.isUnfit)?.ending { return unfit }
        // The one that asks for the longest wait speaks for all.
        let endings = ends.compactMap(\.ending)
        if let first = endings.first {
            return endings.dropFirst().reduce(first) { ($1.retryAfter ?? -1) > ($0.retryAfter ?? -1) ? $1 : $0 }
        }
        let claim = DigestClaim(part.origin.headers)
        let isCancelled = Flag()
        let whole = await withTaskCancellationHandler {
            await parts.run { () -> Result<PartSink, HTTPError> in
                do { return .success(try part.whole(claim: claim) { isCancelled.isSet }) } catch {
                    return .failure(error as? HTTPError ?? HTTPError(.io, "\(error)"))
                }
            }
        } onCancel: {
            isCancelled.set()
        }
        switch whole {
        case .failure(let error): return Ending(Failure(error))
        case .success(let sink):
            attempt.keptSegments = nil
            var ending = await self.ending(sink, &attempt)
            // Ranges that each looked right and are not the whole: once more, in one piece.
            if case .failed(let failure, _) = ending.outcome, failure.code == .checksum { ending.startsOver = true }
            return ending
        }
    }

    private func fetch(_ segment: SegmentedPart.Segment, of part: SegmentedPart, _ attempt: Attempt) async -> SegmentEnd
    {
        let url = attempt.chain.current
        let host = url.site
        var end = SegmentEnd()
        guard await turnstile.enter(host, isReturning: attempt.number > 1) else {
            end.ending = Ending(.cancelled)
            return end
        }
        var sign = HostGate.Sign.none
        defer { turnstile.leave(host, sign) }
        let reception = SegmentReception(part, segment)
        var request = wire(attempt, nil)
        request.headers.removeAll { ["if-none-match", "if-modified-since"].contains($0.name.lowercased()) }
        request.headers += reception.fields
        do {
            let response = try await engine.perform(request, receiver: reception)
            end.received = response.received
            turnstile.connected(host)
        } catch {
            end.received = error.received
            note(error.kind, at: host, isLast: attempt.number > rules.retries)
            end.ending = Ending(Failure(error), isWorthRetrying: Retrying.isWorth(error.kind))
            return end
        }
        switch reception.verdict {
        case .fits:
            sign = .good
            if !segment.isComplete {
                end.ending = Ending(
                    Failure(.truncated, "\(url.host ?? "") sent less than was asked for"), isWorthRetrying: true)
            }
        case .unfit(let what):
            var ending = Ending(Failure(.rangeInvalid, "\(url.host ?? "") sent \(what)"), isWorthRetrying: true)
            ending.startsOver = true
            end.ending = ending
            end.isUnfit = true
        case .status(let head):
            sign = self.sign(of: head)
            var ending = Ending(
                Failure(status: head.status, host: url.host ?? ""),
                isWorthRetrying: Retrying.isWorth(status: head.status))
            ending.retryAfter = retryAfter(head)
            // Who lets in the whole but not its parts is asked for the whole.
            ending.startsOver = !ending.isWorthRetrying
            end.isUnfit = ending.startsOver
            end.ending = ending
        case nil: end.ending = Ending(Failure(.protocolError, "no answer came"))
        }
        return end
    }
}
