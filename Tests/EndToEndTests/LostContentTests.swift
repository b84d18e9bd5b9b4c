import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// What was fetched before is only asked for with a condition while it is there.
    @Suite(.timeLimit(.minutes(1)))
    struct LostContentTests {
        @Test func whatIsNotThereAnyMoreIsFetchedWithoutACondition() async throws {
            let names = ["lost.pdf", "cut.pdf", "kept.pdf"]
            func content(_ name: String) -> String { "%PDF-1.4\n% \(name)\n%%EOF\n" }
            try await NginxServer.serving { server in
                try await Sandbox.with { sandbox in
                    for name in names { try server.site.write(name, content(name)) }
                    try server.site.write("index.html", Response.links(names))
                    try sandbox.write("a", "start: [\"\(server.origin)/\"]\nname: { template: \"{stem}.{ext}\" }")
                    try await sandbox.run()
                    let objects = sandbox.root.files("objects").map { "\(sandbox.root.path)/objects/\($0.name)" }
                    let digests = try await sha256(names.map { "\(sandbox.root.path)/files/a/\($0)" })
                    for (name, digest) in zip(names, digests) where name != "kept.pdf" {
                        let path = try #require(objects.first { $0.hasSuffix(digest) })
                        if name == "lost.pdf" {
                            unlink(path)
                            unlink("\(sandbox.root.path)/files/a/\(name)")
                        } else {
                            chmod(path, 0o644)
                            truncate(path, 4)
                        }
                    }
                    try server.clearLog()
                    try await sandbox.run()
                    for name in names { #expect(try sandbox.root.text("files/a/\(name)") == content(name), "\(name)") }
                    let log = try server.log()
                    for name in names {
                        let status = name == "kept.pdf" ? 304 : 200
                        #expect(log.contains { $0.path == "/\(name)" && $0.status == status }, "\(name): \(log)")
                    }
                    #expect(try await sandbox.problems().isEmpty)
                }
            }
        }
    }
}
