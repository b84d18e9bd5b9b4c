import Files
import Glibc

/// A server of somebody else's that runs while a test does, on a port of loopback that it binds itself.
struct WatchedServer {
    let port: UInt16
    private let watch: Int32

    /// Starts it, anew on another port when somebody else took the first.
    /// - Parameter command: the program and its arguments, once its configuration for that port is written.
    static func start(
        complaints: () -> String, _ command: (UInt16) throws -> (tool: String, arguments: [String])
    ) async throws -> WatchedServer {
        for _ in 0..<5 {
            let port = try Loopback.freePort()
            let (tool, arguments) = try command(port)
            // The shell ends the server when its standard input ends, be it that the tests are done or that they died.
            let script = "\"$@\" & read -r _; kill $! 2>/dev/null; wait"
            let path = try Program.tool(tool, []).path
            var watched = try Program.tool("sh", ["-c", script, "sh", path] + arguments)
            let watch = try watched.openInput()
            let running = try watched.launch(timeout: .seconds(3600))
            for _ in 0..<400 where running.isRunning {
                if Loopback.isOpen(port) { return WatchedServer(port: port, watch: watch) }
                try await Task.sleep(for: .milliseconds(10))
            }
            close(watch)
        }
        throw ServerFailure(complaint: complaints())
    }

    func stop() { close(watch) }
}
