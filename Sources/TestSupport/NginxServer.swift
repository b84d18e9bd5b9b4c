import Files
import Glibc

/// A real nginx on loopback that serves a folder, with its own configuration, log and temporary files.
package struct NginxServer: Sendable {
    /// What it serves; files may be added and changed while it runs.
    package let site: Folder
    package let port: UInt16
    private let home: Folder

    package var origin: String { "http://127.0.0.1:\(port)" }

    /// One request as nginx logged it.
    package struct LogLine: Sendable {
        package let status: Int
        package let bodyBytes: Int
        /// Connections of clients, this one included, when the request ended.
        package let connections: Int
        package let path: String
    }

    /// Serves an empty folder while `body` runs.
    /// - Parameters:
    ///   - main: directives for the `http` block, such as a zone for limits.
    ///   - server: directives for the `server` block, such as `autoindex on;` or a `location`.
    package static func serving<Result>(
        main: String = "", server: String = "", in parent: String? = nil,
        isolation: isolated (any Actor)? = #isolation, _ body: (NginxServer) async throws -> sending Result
    ) async throws -> sending Result {
        try await Folder.temporary(in: parent) { home in
            let (nginx, watch) = try await start(home, main: main, server: server)
            defer { close(watch) }
            return try await body(nginx)
        }
    }

    /// All requests that have ended.
    package func log() throws -> [LogLine] {
        try home.text("access.log").split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 3)
            guard words.count == 4, let status = Int(words[0]), let bytes = Int(words[1]),
                let connections = Int(words[2])
            else { return nil }
            return LogLine(status: status, bodyBytes: bytes, connections: connections, path: String(words[3]))
        }
    }

    package func clearLog() throws { try home.write("access.log", "") }

    private static func start(
        _ home: Folder, main: String, server: String
    ) async throws -> (NginxServer, watch: Int32) {
        let site = try home.folder("site")
        var complaint = ""
        // Somebody else may take the port between the choice and the start.
        for _ in 0..<5 {
            let port = try Loopback.freePort()
            try home.write("nginx.conf", configuration(home, site, port: port, main: main, server: server))
            // The shell ends nginx when its standard input ends, be it that the tests are done or that they died.
            let script = "\"$@\" & read -r _; kill $! 2>/dev/null; wait"
            let nginx = try Program.tool("nginx", [])
            var watched = try Program.tool(
                "sh", ["-c", script, "sh", nginx.path, "-p", home.path, "-c", "nginx.conf", "-e", "error.log"])
            let watch = try watched.openInput()
            let running = try watched.launch(timeout: .seconds(3600))
            for _ in 0..<500 where running.isRunning {
                if home.exists("nginx.pid") { return (NginxServer(site: site, port: port, home: home), watch) }
                try await Task.sleep(for: .milliseconds(5))
                if (try? home.text("error.log").contains("[emerg]")) == true { break }
            }
            close(watch)
            complaint = (try? home.text("error.log")) ?? ""
        }
        throw NginxFailure(complaint: complaint)
    }

    private static func configuration(
        _ home: Folder, _ site: Folder, port: UInt16, main: String, server: String
    ) -> String {
        let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        return """
            daemon off;
            master_process off;
            pid nginx.pid;
            events { worker_connections 2048; }
            http {
                \(kinds.map { "\($0)_temp_path temp-\($0);" }.joined(separator: "\n    "))
                types {
                    text/html html;
                    text/plain txt;
                    application/pdf pdf;
                    application/zip zip;
                    application/rss+xml rss;
                    application/xml xml;
                    text/csv csv;
                }
                default_type application/octet-stream;
                log_format seen '$status $body_bytes_sent $connections_active $request_uri';
                access_log access.log seen;
                keepalive_requests 100000;
                sendfile on;
                tcp_nopush on;
                \(main)
                server {
                    listen 127.0.0.1:\(port);
                    server_name localhost;
                    root \(site.path);
                    \(server)
                }
            }

            """
    }
}

/// nginx did not start.
package struct NginxFailure: Error, CustomStringConvertible {
    let complaint: String
    package var description: String { "nginx did not start: \(complaint)" }
}
