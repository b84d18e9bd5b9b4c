import Glibc
import Lanes
import Synchronization

/// How a program ended and what it said.
package struct Outcome: Sendable, CustomStringConvertible {
    package enum Ending: Sendable, Equatable {
        case exited(Int32)
        case killed(signal: Int32)
        case timedOut
    }
    package var ending = Ending.timedOut
    package var output: [UInt8] = []
    package var errors: [UInt8] = []
    /// The most memory that was resident at once, in bytes.
    package var peakMemory = 0
    package var seconds = 0.0

    package var outputText: String { String(decoding: output, as: UTF8.self) }
    package var errorText: String { String(decoding: errors, as: UTF8.self) }
    package var description: String {
        "\(ending) after \(seconds) s\n--- stdout\n\(outputText)\n--- stderr\n\(errorText)"
    }
}

/// A program under way. One thread of its own reads both streams, watches the clock and reaps it.
package final class RunningProgram: Sendable {
    package let pid: Int32
    private let lane: Lane
    private struct State {
        /// Signals are sent and the program is reaped under the lock, so that no signal meets another's process.
        var isReaped = false
        var outcome = Outcome()
    }
    private let state = Mutex(State())

    init(pid: Int32, output: Int32, errors: Int32, timeout: Duration) throws {
        self.pid = pid
        lane = try Lane("program")
        lane.async { [self] in supervise(output: output, errors: errors, timeout: timeout) }
    }

    /// Sends a signal, unless the program has ended.
    package func send(_ signal: Int32) {
        state.withLock { if !$0.isReaped { kill(pid, signal) } }
    }

    package var isRunning: Bool { state.withLock { !$0.isReaped } }

    /// Waits for the end.
    package func finish() async throws -> Outcome {
        // The lane works in order: this runs when the supervision has ended.
        try await lane.run { [self] in state.withLock { $0.outcome } }
    }

    private func supervise(output: Int32, errors: Int32, timeout: Duration) {
        let clock = ContinuousClock()
        let start = clock.now
        var outcome = Outcome()
        var isTooLate = false
        var hasEnded = false
        var streams = [output, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while !hasEnded {
            poll(&streams, nfds_t(streams.count), 5)
            outcome.peakMemory = max(outcome.peakMemory, residentPeak())
            hasEnded = reap(&outcome)
            if drain(&streams[0].fd, into: &outcome.output) { streams[0].fd = -1 }
            if drain(&streams[1].fd, into: &outcome.errors) { streams[1].fd = -1 }
            if !hasEnded, !isTooLate, clock.now - start > timeout {
                isTooLate = true
                send(SIGKILL)
            }
        }
        if isTooLate { outcome.ending = .timedOut }
        outcome.seconds = (clock.now - start) / .seconds(1)
        close(output)
        close(errors)
        state.withLock { [outcome] in $0.outcome = outcome }
    }

    private func reap(_ outcome: inout Outcome) -> Bool {
        var status: Int32 = 0
        let isReaped = state.withLock { state in
            state.isReaped = waitpid(pid, &status, WNOHANG) == pid
            return state.isReaped
        }
        guard isReaped else { return false }
        let signal = status & 0x7f
        outcome.ending = signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: signal)
        return true
    }

    /// Takes what has come; true at the end of the stream.
    private func drain(_ stream: inout Int32, into bytes: inout [UInt8]) -> Bool {
        guard stream >= 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(stream, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { bytes += buffer[..<count] } else { return count == 0 }
        }
    }

    /// `VmHWM` of the process: wait4's ru_maxrss would count the memory of the tests too, which started it by vfork.
    private func residentPeak() -> Int {
        let file = open("/proc/\(pid)/status", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(file, &buffer, buffer.count)
        let text = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kibibytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
        return (kibibytes.flatMap { Int($0) } ?? 0) * 1024
    }
}
