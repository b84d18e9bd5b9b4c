import Files
import Glibc

/// A program to run: the one under test, or a tool that judges what it made.
package struct Program: Sendable {
    package var path: String
    package var arguments: [String]
    /// The whole environment. As little as cron gives: no HOME, no locale, no time zone.
    package var environment = ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"]
    /// Gives the program a standard output whose reader is gone.
    package var closesOutput = false
    /// The file that is standard input when no descriptor is.
    package var inputFile = "/dev/null"
    /// The descriptor for standard input; nil is `inputFile`.
    private var input: Int32?

    package init(path: String, _ arguments: [String]) {
        self.path = path
        self.arguments = arguments
    }

    /// The `nightjar` that was built together with the running tests.
    package static func nightjar(_ arguments: [String]) -> Program {
        Program(path: buildFolder + "/nightjar", arguments)
    }

    /// A tool of the system, with a UTF-8 locale so that it shows names as they are.
    /// - Throws: ``MissingTool`` when it is not installed.
    package static func tool(_ name: String, _ arguments: [String]) throws -> Program {
        guard let path = toolPath(name) else { throw MissingTool(name: name) }
        var program = Program(path: path, arguments)
        program.environment["LC_ALL"] = "C.UTF-8"
        return program
    }

    /// What a tool of the system printed; nil when it failed.
    package static func output(_ name: String, _ arguments: [String], in folder: String? = nil) async throws -> String?
    {
        let program =
            try folder.map { try tool("env", ["-C", $0, tool(name, []).path] + arguments) } ?? tool(name, arguments)
        let outcome = try await program.run()
        return outcome.ending == .exited(0) ? outcome.outputText : nil
    }

    /// For `.enabled(if:)`: a test that needs a tool is skipped by name where there is none.
    package static func isInstalled(_ tool: String) -> Bool { toolPath(tool) != nil }

    /// Runs the program to its end.
    /// - Parameter timeout: after that the program is killed, and ``Outcome/ending`` says so.
    package func run(timeout: Duration = .seconds(60)) async throws -> Outcome {
        try await launch(timeout: timeout).finish()
    }

    /// Gives the next launch a standard input that ends when the descriptor returned is closed, or when we die.
    mutating func openInput() throws -> Int32 {
        let pipe = try Pipe()
        input = pipe.reader
        return pipe.writer
    }

    /// Starts the program and returns at once.
    package func launch(timeout: Duration = .seconds(60)) throws -> RunningProgram {
        let output = try Pipe()
        let errors = try Pipe()
        if closesOutput { shutdown(output.reader, Int32(SHUT_RDWR)) }
        let input = input ?? open(inputFile, O_RDONLY | O_CLOEXEC)
        defer { close(input) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output.writer, 1)
        posix_spawn_file_actions_adddup2(&actions, errors.writer, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Whatever the test process ignores or blocks, the program starts as a shell would start it.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        var pid = pid_t()
        let code = withCStrings([path] + arguments) { arguments in
            withCStrings(environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }) { environment in
                posix_spawn(&pid, path, &actions, &attributes, arguments, environment)
            }
        }
        close(output.writer)
        close(errors.writer)
        guard code == 0 else {
            close(output.reader)
            close(errors.reader)
            throw SystemError("start", path, code: code)
        }
        return try RunningProgram(pid: pid, output: output.reader, errors: errors.reader, timeout: timeout)
    }

    /// Where the build put the running tests, and with them the program.
    package static let buildFolder: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }()

    private static func toolPath(_ name: String) -> String? {
        let folders = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"]
        return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}

package struct MissingTool: Error, CustomStringConvertible {
    package let name: String
    package var description: String { "\(name) is not installed; scripts/deps installs what the tests need" }
}

/// Two ends of a stream; a socket pair, since only that can be made without a moment in which a program started by
/// another test inherits it.
private struct Pipe {
    let reader: Int32
    let writer: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw SystemError.last("make", "a pipe")
        }
        (reader, writer) = (ends[0], ends[1])
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
