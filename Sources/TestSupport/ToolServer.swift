import Files
import Glibc

/// A server of the system, such as sshd or a script of Python's, that runs while a test does.
package enum ToolServer {
    /// Starts a server, waits for a sign that it is ready, and ends it when `body` does, or when the tests die.
    /// - Parameters:
    ///   - home: where it runs; what it says lies there as `server.log`.
    ///   - sign: a file in `home` that the server makes when it listens.
    package static func running<Result>(
        _ tool: String, _ arguments: [String], in home: Folder, sign: String,
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> sending Result
    ) async throws -> sending Result {
        if let result = try await attempt(tool, arguments, in: home, isReady: { home.exists(sign) }, body) {
            return result
        }
        throw ServerFailure(complaint: (try? home.text("server.log")) ?? "")
    }

    /// The same on a port of loopback, and on another one when somebody else took the first.
    /// - Parameter command: the program and its arguments, once its configuration for that port is written.
    static func running<Result>(
        in home: Folder, isolation: isolated (any Actor)? = #isolation,
        command: (UInt16) throws -> (tool: String, arguments: [String]),
        _ body: (UInt16) async throws -> sending Result
    ) async throws -> sending Result {
        for _ in 0..<5 {
            let port = try Loopback.freePort()
            let (tool, arguments) = try command(port)
            let isReady = { Loopback.isOpen(port) }
            if let result = try await attempt(tool, arguments, in: home, isReady: isReady, { try await body(port) }) {
                return result
            }
        }
        throw ServerFailure(complaint: (try? home.text("server.log")) ?? "")
    }

    /// - Returns: nil when the server ended by itself, or was not ready within ten seconds.
    private static func attempt<Result>(
        _ tool: String, _ arguments: [String], in home: Folder, isReady: () -> Bool,
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> sending Result
    ) async throws -> sending Result? {
        // The shell ends the server when its standard input ends, be it that the tests are done or that they died.
        let script = "cd \"$1\"; shift; \"$@\" </dev/null >server.log 2>&1 & read -r _; kill $! 2>/dev/null; wait"
        let path = try Program.tool(tool, []).path
        var watched = try Program.tool("sh", ["-c", script, "sh", home.path, path] + arguments)
        let watch = try watched.openInput()
        defer { close(watch) }
        let running = try watched.launch(timeout: .seconds(3600))
        for _ in 0..<1000 where running.isRunning {
            if isReady() { return try await body() }
            try await Task.sleep(for: .milliseconds(10))
        }
        return nil
    }
}

/// A server of a test did not start.
package struct ServerFailure: Error, CustomStringConvertible {
    let complaint: String
    package var description: String { "the server did not start: \(complaint)" }
}
