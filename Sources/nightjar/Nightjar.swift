import Reporting
import Archives
import Glibc
import Lanes
import Synchronization

/// Flags table, invocation, command, exit status: the work is done in the targets below.
@main
struct Nightjar {
    static func main() {
        // libarchive and libmagic take names for text of the locale; cron's is C, which has no text beyond ASCII.
        setlocale(LC_CTYPE, "C.UTF-8")
        useUTCAsLocalTime()
        Signals.block()
        let words = Array(CommandLine.arguments.dropFirst())
        let environment = environment()
        let parsed = Result { try CommandLineParser.parse(words, environment: environment) }
        if case .success(.invocation(let invocation)) = parsed, let root = try? invocation.rootFolder() {
            useTemporaryFolder("\(root)/partial")
        }
        let ending = Ending()
        // Where no thread is to be had the pool's will do.
        let tasks = try? TaskThread("tasks")
        Task.detached(executorPreference: tasks) { ending.end(await perform(parsed)) }
        let status = withExtendedLifetime(tasks) { ending.wait() }
        // Nothing is left to be written, and threads that still live must not meet what exit() takes down.
        _exit(status)
    }
}

/// The exit status, for the main thread to wait for.
private final class Ending: Sendable {
    private let status = Mutex<Int32>(0)
    private let signal = Semaphore()

    func end(_ code: Int32) {
        status.withLock { $0 = code }
        signal.post()
    }

    func wait() -> Int32 {
        signal.wait()
        return status.withLock { $0 }
    }
}

/// Does what the command line says and gives the exit status.
private func perform(_ parsed: Result<CommandLineParser.Result, any Error>) async -> Int32 {
    do {
        switch try parsed.get() {
        case .version: try printOutput("nightjar \(version)\n")
        case .help(let command): try printOutput(help(command))
        case .invocation(let invocation):
            return try await invocation.command.perform(invocation)
        }
        return 0
    } catch let error as UsageError {
        printError("nightjar: \(error.message)\nTry 'nightjar --help'.\n")
        return 2
    } catch {
        printError("nightjar: \(shown("\(error)"))\n")
        return 3
    }
}

private func environment() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
        let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
        entry += 1
    }
    return variables
}
