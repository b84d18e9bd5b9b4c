import CShims
import Glibc

/// A program to be run beside ours. Arguments and environment are handed over as they are: no shell reads them.
package struct ChildProgram: Sendable {
    /// A path, or a name that is looked up in our own PATH.
    package var path: String
    package var arguments: [String]
    /// The whole environment.
    package var environment: [String: String]
    /// Standard input, at most 64 KiB.
    package var input: [UInt8] = []
    /// After that the program, and what it has started, is killed.
    package var timeout: Duration

    package init(_ path: String, _ arguments: [String], environment: [String: String], timeout: Duration) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.timeout = timeout
    }

    package enum Ending: Sendable, Hashable {
        case exited(Int32)
        case killed(signal: Int32)
        case timedOut
    }

    package struct Outcome: Sendable {
        package var ending: Ending
        /// The beginning of what it wrote to standard output and error.
        package var output: [UInt8]
    }

    /// Runs the program to its end. Blocks.
    /// - Throws: ``ChildError`` when it cannot be started.
    package func run() throws(ChildError) -> Outcome {
        let input = try Pipe(path)
        let output = try Pipe(path)
        input.writer.setNonblocking()
        output.reader.setNonblocking()
        // It fits into the pipe, so that nobody need read for this to end.
        guard self.input.count <= 65536, input.writer.fill(self.input) else {
            throw ChildError(path: path, reason: "its input is larger than a pipe holds")
        }
        input.writer.close()
        let pid = try start(input.reader.number, output.writer.number)
        input.reader.close()
        output.writer.close()
        return supervise(pid, output.reader)
    }

    private func start(_ input: Int32, _ output: Int32) throws(ChildError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // What we block or ignore it must not; and a group of its own can be killed as a whole.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

        var pid = pid_t()
        let code = withCStrings([path] + arguments) { arguments in
            withCStrings(environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }) { environment in
                posix_spawnp(&pid, path, &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw ChildError(path: path, reason: String(cString: strerror(code))) }
        return pid
    }

    private func supervise(_ pid: pid_t, _ output: borrowing End) -> Outcome {
        let start = SuspendingClock.now
        var outcome = Outcome(ending: .timedOut, output: [])
        var isOpen = true
        var isTooLate = false
        while true {
            var stream = pollfd(fd: isOpen ? output.number : -1, events: Int16(POLLIN), revents: 0)
            poll(&stream, 1, 10)
            if isOpen { isOpen = output.drain(into: &outcome.output, limit: 4096) }
            var status: Int32 = 0
            if waitpid(pid, &status, WNOHANG) == pid {
                // What it has started may go on without us.
                if isOpen { _ = output.drain(into: &outcome.output, limit: 4096) }
                let signal = status & 0x7f
                if !isTooLate {
                    outcome.ending = signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: signal)
                }
                return outcome
            }
            if !isTooLate, SuspendingClock.now - start > timeout {
                isTooLate = true
                kill(-pid, SIGKILL)
            }
        }
    }
}

/// A program that could not be started.
package struct ChildError: Error, Sendable, CustomStringConvertible {
    package let path: String
    package let reason: String

    package var description: String { "\(path) cannot be started: \(reason)" }
}

/// The two ends of a pipe, which no other program inherits.
private struct Pipe {
    let reader: End
    let writer: End

    init(_ path: String) throws(ChildError) {
        var ends: [Int32] = [-1, -1]
        guard nj_pipe(&ends) == 0 else { throw ChildError(path: path, reason: String(cString: strerror(errno))) }
        (reader, writer) = (End(ends[0]), End(ends[1]))
    }
}

/// One end of a pipe, closed once.
private final class End {
    private(set) var number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close() }

    func close() {
        if number >= 0 { Glibc.close(number) }
        number = -1
    }

    /// For the end that is ours: the other has a state of its own.
    func setNonblocking() { _ = fcntl(number, F_SETFL, O_NONBLOCK) }

    func fill(_ bytes: [UInt8]) -> Bool {
        bytes.isEmpty || bytes.withUnsafeBytes { write(number, $0.baseAddress, $0.count) } == bytes.count
    }

    /// Takes what has come, of which the beginning is kept.
    /// - Returns: false at the end of the stream.
    func drain(into bytes: inout [UInt8], limit: Int) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(number, &buffer, buffer.count)
            if count > 0 {
                bytes += buffer[..<min(count, max(limit - bytes.count, 0))]
            } else {
                return count < 0 && (errno == EAGAIN || errno == EINTR)
            }
        }
    }
}

private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
    for (index, string) in strings.enumerated() { (pointers + index).initialize(to: strdup(string)) }
    (pointers + strings.count).initialize(to: nil)
    defer {
        for index in strings.indices { free(pointers[index]) }
        pointers.deallocate()
    }
    return body(pointers)
}
