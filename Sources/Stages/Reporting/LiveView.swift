import URLs
package import Model
import Unicode

/// What a person at a terminal sees of a run: a line for the job and a bar for each download under way. It computes
/// lines; whoever owns the terminal draws them.
package struct LiveView: Sendable {
    /// Columns for the end of a URL, below which figures are left away.
    private static let leastName = 14

    private let job: String
    private let began: ContinuousClock.Instant
    private var tally = RunTally()
    private var asked = 0
    private var fetched = 0
    private var failed = 0
    private var transfers: [TransferProgress] = []
    private var rates: [String: Rate] = [:]
    private var work = WorkDisplay()
    private var workLine = ""

    package init(job: String, at now: ContinuousClock.Instant = .now) {
        self.job = job
        began = now
    }

    package mutating func receive(_ event: RunEvent, at now: ContinuousClock.Instant) {
        tally.receive(event)
        if let line = work.line(event, at: now) { workLine = line }
        switch event {
        case .fetching(let request): asked += request.purpose == .page ? 0 : 1
        case .itemFetched: fetched += 1
        case .itemFailed: failed += 1
        case .transfers(let current):
            transfers = current
            var next: [String: Rate] = [:]
            for transfer in current {
                let key = transfer.url.href
                var rate = rates[key] ?? Rate(transfer.received, now)
                rate.update(transfer.received, now)
                next[key] = rate
            }
            rates = next
        default: break
        }
    }

    /// The lines, none wider than `width` columns, no more than `height`.
    package func lines(width: Int, height: Int, at now: ContinuousClock.Instant) -> [String] {
        let width = max(width - 1, 10)
        var lines = [headline(at: now).cut(toWidth: width)]
        if !workLine.isEmpty, height > 2 { lines.append("  \(workLine)".cut(toWidth: width)) }
        let room = max(height - lines.count - 1, 0)
        let shownOnes = transfers.sorted { $0.url.href < $1.url.href }
        lines += shownOnes.prefix(room).map { line($0, width: width, at: now) }
        if shownOnes.count > room { lines.append("  and \(shownOnes.count - room) more".cut(toWidth: width)) }
        return lines
    }

    /// Rows that lines take on a terminal of `width` columns that folds what it has no room for, as most do when their
    /// window is made narrower.
    package static func rows(_ lines: some Sequence<String>, width: Int) -> Int {
        let width = max(width, 1)
        return lines.reduce(0) { $0 + max(($1.displayWidth + width - 1) / width, 1) }
    }

    private func headline(at now: ContinuousClock.Instant) -> String {
        let seconds = (now - began) / .seconds(1)
        let received = tally.bytes.received + transfers.reduce(0) { $0 + $1.received - $1.resumedFrom }
        let rate = seconds >= 0.5 ? Int64(Double(received) / seconds) : 0
        let waiting = max(asked - fetched - failed - transfers.count, 0)
        return
            "\(job): \(shown(tally.counts.pages, "page")), \(fetched) done, \(failed) failed, "
            + "\(transfers.count) under way, \(waiting) waiting, \(shown(bytes: received)), "
            + "\(shown(bytes: rate))/s, \(shown(seconds: seconds))"
    }

    private func line(_ transfer: TransferProgress, width: Int, at now: ContinuousClock.Instant) -> String {
        let name = shown(readable(transfer.url.displayed))
        let (bar, figures) = parts(transfer, columns: width >= 100 ? 20 : 10)
        // What says least goes first where there is no room for a name.
        for count in stride(from: figures.count, to: 0, by: -1) {
            let told = figures.prefix(count).joined(separator: ", ")
            let room = width - bar.displayWidth - told.displayWidth - 4
            guard room >= Self.leastName || count == 1 else { continue }
            if room < 8 { return "  \(told)".cut(toWidth: width) }
            // The end of a URL tells more than its beginning.
            return "  \(bar)\(Self.end(of: name, columns: room).padded(toWidth: room))  \(told)"
        }
        return name.cut(toWidth: width)
    }

    /// The bar, and the figures, of which the first says most.
    private func parts(_ transfer: TransferProgress, columns: Int) -> (bar: String, figures: [String]) {
        let speed = rates[transfer.url.href]?.bytesPerSecond ?? 0
        var bar = ""
        var figures: [String] = []
        if let total = transfer.total, total > 0 {
            let share = min(max(Double(transfer.received) / Double(total), 0), 1)
            bar = Self.bar(share, from: Double(transfer.resumedFrom) / Double(total), columns: columns) + " "
            figures.append("\(Int(share * 100))%")
            if speed > 0, total > transfer.received {
                figures.append("\(shown(seconds: Double(total - transfer.received) / speed)) left")
            }
            figures.append("\(shown(bytes: transfer.received)) of \(shown(bytes: total))")
        } else {
            figures.append(shown(bytes: transfer.received))
        }
        if speed > 0 { figures.append("\(shown(bytes: Int64(speed)))/s") }
        if transfer.resumedFrom > 0 { figures.append("resumed at \(shown(bytes: transfer.resumedFrom))") }
        return (bar, figures)
    }

    /// A URL with its escapes taken off, where they stand for text.
    private func readable(_ url: String) -> String {
        String(validating: percentDecoded(Array(url.utf8).span), as: UTF8.self) ?? url
    }

    private static func end(of name: String, columns: Int) -> String {
        if name.displayWidth <= columns { return name }
        var rest = name.suffix(columns - 1)
        while rest.displayWidth > columns - 1 { rest = rest.dropFirst() }
        return "…\(rest)"
    }

    /// `[====----  ]`: `=` for what this run brought, `-` for what was there when it went on.
    private static func bar(_ share: Double, from start: Double, columns: Int) -> String {
        let full = Int(share * Double(columns))
        let kept = min(Int(min(max(start, 0), 1) * Double(columns)), full)
        return "[" + String(repeating: "-", count: kept) + String(repeating: "=", count: full - kept)
            + String(repeating: " ", count: columns - full) + "]"
    }
}

/// Bytes a second, smoothed over some seconds.
private struct Rate: Sendable {
    private var received: Int64
    private var time: ContinuousClock.Instant
    private(set) var bytesPerSecond = 0.0
    private var hasBegun = false

    init(_ received: Int64, _ time: ContinuousClock.Instant) {
        self.received = received
        self.time = time
    }

    mutating func update(_ now: Int64, _ instant: ContinuousClock.Instant) {
        let seconds = (instant - time) / .seconds(1)
        guard seconds >= 0.1 else { return }
        let rate = Double(max(now - received, 0)) / seconds
        bytesPerSecond = hasBegun ? bytesPerSecond * 0.7 + rate * 0.3 : rate
        hasBegun = true
        (received, time) = (now, instant)
    }
}
