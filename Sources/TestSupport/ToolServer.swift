import Files
import Glibc

/// A server of the system, such as sshd or a script of Python's, that runs while a test does.
package enum ToolServer {
    /// Starts a server, waits for a sign that it is ready, and ends it when `body` does, or when the tests die.
    /// - Parameters:
    ///   - sign: a file in `home` that the server makes when it listens.
    package static func running<Result>(
        _ tool: String, _ arguments: [String], in home: Folder, sign: String,
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> sending Result
    ) async throws -> sending Result {
        // The shell ends the server when its standard input ends.
        let script = "cd \"$1\"; shift; \"$@\" </dev/null >server.log 2>&1 & read -r _; kill $! 2>/dev/null; wait"
        let path = try Program.tool(tool, []).path
        var watched = try Program.tool("sh", ["-c", script, "sh", home.path, path] + arguments)
        let watch = try watched.openInput()
        defer { close(watch) }
        let running = try watched.launch(timeout: .seconds(3600))
        for _ in 0..<1000 where running.isRunning {
            if home.exists(sign) { return try await body() }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw ServerFailure(complaint: (try? home.text("server.log")) ?? "")
    }
}

/// A server of a test did not start.
package struct ServerFailure: Error, CustomStringConvertible {
    let complaint: String
    package var description: String { "the server did not start: \(complaint)" }
}
