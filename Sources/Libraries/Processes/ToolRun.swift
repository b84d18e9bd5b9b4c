import CShims
import Glibc

/// A program of the system that does one thing and ends: what it is given, and where its output goes.
///
/// Arguments are seen by everybody who can list processes, so a secret goes through a pipe: descriptor 3 of the
/// program, on one line.
package struct ToolRun: Sendable {
    /// Looked for in the `PATH` of ``environment``.
    package var name: String
    package var arguments: [String]
    /// The whole environment.
    package var environment: [String: String]
    /// Standard input, from the position it has; nil is empty.
    package var input: Int32?
    /// Standard output; nil is dropped.
    package var output: Int32?
    /// What can be read from descriptor 3; at most 16,384 bytes.
    package var secret: String?
    /// Gives the secret as standard input instead, for programs that read it there.
    package var secretIsInput = false
    /// Also opened in the program, as descriptor 4.
    package var extra: Int32?

    package init(_ name: String, _ arguments: [String], environment: [String: String]) {
        self.name = name
        self.arguments = arguments
        self.environment = environment
    }

    /// Runs the program to its end. Blocks.
    /// - Parameter isCancelled: asked ten times a second; when true, the program is killed.
    /// - Throws: ``ToolError`` when it cannot be started or does not end with status 0.
    package func run(isCancelled: () -> Bool = { false }) throws(ToolError) {
        guard let path else { throw ToolError(name: name, reason: "it is not installed, or not in PATH") }
        let complaints = try Pipe(for: name)
        let secrets = try secret.map { text throws(ToolError) in
            let pipe = try Pipe(for: name)
            pipe.fill(Array("\(text)\n".utf8.prefix(16_384)))
            return pipe
        }
        var pid = pid_t()
        let code = spawn(path, complaints, secrets, &pid)
        complaints.closeWriter()
        guard code == 0 else { throw ToolError(name: name, reason: String(cString: strerror(code))) }
        let (text, isKilled) = complaints.read(isCancelled: isCancelled) { kill(pid, SIGKILL) }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        if isKilled { throw ToolError(name: name, reason: "it was stopped", isCancelled: true) }
        guard status == 0 else {
            let end = status & 0x7f == 0 ? "status \(status >> 8 & 0xff)" : "signal \(status & 0x7f)"
            throw ToolError(name: name, reason: text.isEmpty ? "it ended with \(end)" : "\(text) (\(end))")
        }
    }

    /// Where the program is; nil when it is nowhere.
    package var path: String? {
        let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    private func spawn(_ path: String, _ complaints: Pipe, _ secrets: Pipe?, _ pid: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        // Above the numbers that are given away, so that none is overwritten before it was copied.
        let given = [
            secretIsInput ? secrets?.reader ?? nothing : input ?? nothing, output ?? nothing, complaints.writer,
            secretIsInput ? nothing : secrets?.reader ?? nothing, extra ?? nothing,
        ].map { nj_duplicate($0, 10) }
        defer { given.forEach { close($0) } }
        for (number, descriptor) in given.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        return withCStrings([path] + arguments) { arguments in
            withCStrings(environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }) { environment in
                posix_spawn(&pid, path, &actions, &attributes, arguments, environment)
            }
        }
    }
}

/// A program of the system that did not do what it was asked to, in its own words.
package struct ToolError: Error, Sendable, CustomStringConvertible {
    package let name: String
    package let reason: String
    package var isCancelled = false

    package var description: String { "\(name): \(reason)" }
}

private final class Pipe {
    let reader: Int32
    private(set) var writer: Int32

    init(for name: String) throws(ToolError) {
        var ends: [Int32] = [-1, -1]
        guard nj_pipe(&ends) == 0 else { throw ToolError(name: name, reason: String(cString: strerror(errno))) }
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        closeWriter()
    }

    func closeWriter() {
        if writer >= 0 { close(writer) }
        writer = -1
    }

    /// Fits into the pipe's own buffer, so that it does not block.
    func fill(_ bytes: [UInt8]) {
        _ = Glibc.write(writer, bytes, bytes.count)
        closeWriter()
    }

    /// The first 2,000 bytes until the end, on one line.
    func read(isCancelled: () -> Bool, cancel: () -> Void) -> (text: String, isKilled: Bool) {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        var isKilled = false
        while true {
            var waiting = [pollfd(fd: reader, events: Int16(POLLIN), revents: 0)]
            if poll(&waiting, 1, 100) > 0 {
                let count = Glibc.read(reader, &chunk, chunk.count)
                if count == 0 || count < 0 && errno != EINTR { break }
                if count > 0, bytes.count < 2000 { bytes += chunk[..<count] }
            }
            if !isKilled, isCancelled() {
                isKilled = true
                cancel()
            }
        }
        let lines = String(decoding: bytes.prefix(2000), as: UTF8.self).split(whereSeparator: \.isNewline)
        return (lines.joined(separator: "; "), isKilled)
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
