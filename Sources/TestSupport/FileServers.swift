import Files
import Glibc

/// vsftpd on loopback that gives a folder to anonymous.
package struct FTPServer: Sendable {
    package let site: Folder
    package let port: UInt16
    private let home: Folder

    package var origin: String { "ftp://127.0.0.1:\(port)" }
    package static var isInstalled: Bool { Program.isInstalled("vsftpd") && getuid() == 0 }

    /// Commands and replies so far.
    package var log: String { (try? home.text("log")) ?? "" }

    /// Serves an empty folder while `body` runs.
    /// - Parameter more: lines for the configuration.
    package static func serving<Result>(
        more: [String] = [], isolation: isolated (any Actor)? = #isolation,
        _ body: (FTPServer) async throws -> sending Result
    ) async throws -> sending Result {
        try await Folder.temporary { home in
            let site = try home.folder("site")
            let empty = try home.folder("empty")
            chmod(home.path, 0o755)
            return try await ToolServer.running(in: home) { port in
                let lines =
                    [
                        "listen=YES", "listen_address=127.0.0.1", "listen_port=\(port)", "background=NO",
                        "anonymous_enable=YES", "no_anon_password=YES", "local_enable=NO", "write_enable=NO",
                        "anon_root=\(site.path)", "secure_chroot_dir=\(empty.path)", "run_as_launching_user=YES",
                        "seccomp_sandbox=NO", "isolate=NO", "isolate_network=NO", "xferlog_enable=YES",
                        "log_ftp_protocol=YES", "vsftpd_log_file=\(home.path)/log", "use_localtime=NO",
                    ] + more
                try home.write("vsftpd.conf", lines.map { $0 + "\n" }.joined())
                return ("vsftpd", ["\(home.path)/vsftpd.conf"])
            } _: { port in
                try await body(FTPServer(site: site, port: port, home: home))
            }
        }
    }
}

/// OpenSSH's server on loopback, with keys of its own; it lets the running user in by key and gives SFTP alone.
package struct SSHServer: Sendable {
    package let site: Folder
    package let port: UInt16
    private let home: Folder

    /// With the folder's path: SFTP begins at the root.
    package var origin: String { "sftp://\(SSHServer.user)@127.0.0.1:\(port)\(site.path)" }
    /// A private key that is let in.
    package var key: String { "\(home.path)/user" }
    /// A private key that is not.
    package var wrongKey: String { "\(home.path)/other" }
    /// A file that knows the server's own key.
    package var knownHosts: String { "\(home.path)/known_hosts" }
    /// A file that knows another key for the server.
    package var wrongHosts: String { "\(home.path)/wrong_hosts" }

    package static var isInstalled: Bool {
        Program.isInstalled("sshd") && Program.isInstalled("ssh-keygen") && getuid() == 0
    }
    /// Who is let in.
    package static let user = "root"

    /// Serves an empty folder while `body` runs.
    package static func serving<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (SSHServer) async throws -> sending Result
    ) async throws -> sending Result {
        try await Folder.temporary { home in
            let site = try home.folder("site")
            // sshd's own wish, which Debian's service fulfils when it starts.
            mkdir("/run/sshd", 0o755)
            for name in ["host", "other", "user"] {
                let arguments = ["-q", "-t", "ed25519", "-N", "", "-f", "\(home.path)/\(name)"]
                _ = try await Program.tool("ssh-keygen", arguments).run()
            }
            return try await ToolServer.running(in: home) { port in
                let lines = [
                    "ListenAddress 127.0.0.1", "Port \(port)", "HostKey \(home.path)/host",
                    "AuthorizedKeysFile \(home.path)/user.pub", "StrictModes no", "UsePAM no", "PidFile none",
                    "PasswordAuthentication no", "PermitRootLogin yes", "Subsystem sftp internal-sftp",
                    "MaxStartups 100",
                ]
                try home.write("sshd.conf", lines.map { $0 + "\n" }.joined())
                for (file, name) in [("known_hosts", "host"), ("wrong_hosts", "other")] {
                    let words = try home.text("\(name).pub").split(separator: " ").prefix(2).joined(separator: " ")
                    try home.write(file, "[127.0.0.1]:\(port) \(words)\n")
                }
                return ("sshd", ["-D", "-e", "-f", "\(home.path)/sshd.conf"])
            } _: { port in
                try await body(SSHServer(site: site, port: port, home: home))
            }
        }
    }
}
