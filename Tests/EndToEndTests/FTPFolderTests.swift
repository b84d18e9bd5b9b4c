import TestSupport
import Testing

extension EndToEnd {
    @Suite(.enabled(if: FTPServer.isInstalled, "vsftpd is not installed, or the tests do not run as root"))
    struct FTPFolderTests {
        @Test("Folders of an FTP server are listings; what has not changed is not kept again")
        func foldersAreFollowed() async throws {
            try await FTPServer.serving { server in
                try await Sandbox.with { sandbox in
                    for name in ["reports/a.pdf", "reports/sub/보고서 b.pdf", "reports/notes.txt", "other/c.pdf"] {
                        try server.site.write(name, "%PDF-1.4\n% \(name)\n%%EOF\n")
                    }
                    try sandbox.write(
                        "ftp",
                        """
                        start: "\(server.origin)/reports/"
                        download: { extensions: [pdf] }
                        name: { template: "{stem}.{ext}" }
                        """)
                    try await sandbox.run("ftp")
                    #expect(sandbox.names("ftp") == ["a.pdf", "보고서 b.pdf"])
                    try await sandbox.run("ftp")
                    #expect(try sandbox.report("ftp").counts.unchanged == 2)
                }
            }
        }
    }
}
