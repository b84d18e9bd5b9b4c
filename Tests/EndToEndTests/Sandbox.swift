import FoundationEssentials
import TestSupport
import Testing

/// Every test that runs the built program, one after the other: several load the machine, and some watch the clock.
@Suite("The program, end to end", .serialized, .enabled(if: Program.isInstalled("nginx")))
struct EndToEnd {}

/// A root and a jobs folder of a test's own.
struct Sandbox: Sendable {
    let folder: Folder
    var root: Folder { Folder("\(folder.path)/root") }
    var jobs: Folder { Folder("\(folder.path)/jobs") }

    static func with<Result>(
        in parent: String? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: (Sandbox) async throws -> sending Result
    ) async throws -> sending Result {
        try await Folder.temporary(in: parent) { try await body(Sandbox(folder: $0)) }
    }

    /// Writes a manifest `<name>.yaml` that begins with `job: <name>`.
    func write(_ name: String, _ manifest: String) throws {
        try jobs.write("\(name).yaml", "job: \(name)\n\(manifest)\n")
    }

    /// `nightjar run` with this root and these jobs.
    func runProgram(_ arguments: [String]) -> Program {
        .nightjar(["run", "--root", root.path, "--jobs", jobs.path] + arguments)
    }

    /// Another command than `run`, with this root.
    func nightjar(_ arguments: String...) async throws -> Outcome {
        try await Program.nightjar([arguments[0], "--root", root.path] + arguments.dropFirst()).run()
    }

    /// Runs jobs and holds the program to its exit status.
    @discardableResult
    func run(
        _ arguments: String..., expecting status: Int32 = 0, timeout: Duration = .seconds(60),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let outcome = try await runProgram(arguments).run(timeout: timeout)
        #expect(outcome.ending == .exited(status), "\(outcome)", sourceLocation: sourceLocation)
        return outcome
    }

    /// The report of the newest run.
    func report(_ job: String) throws -> RunReport {
        try RunReport(json: root.read("reports/\(job)/latest.json"))
    }

    /// The items of the newest run, by the last component of their URL.
    func items(_ job: String) throws -> [String: Item] {
        let lines = try root.text("reports/\(job)/\(try report(job).run.id).items.jsonl").split(separator: "\n")
        let items = try lines.map { try Item(json: Array($0.utf8)) }
        return Dictionary(items.map { ($0.url.split(separator: "/").last.map(String.init) ?? "", $0) }) { _, last in
            last
        }
    }

    /// Names below `files/<job>`.
    func names(_ job: String) -> [String] { root.files("files/\(job)").map(\.name) }

    /// What is wrong with the store, seen from outside; nothing must be, at whatever moment the program died.
    func problems() async throws -> [String] {
        var problems: [String] = []
        let objects = root.files("objects").filter { !$0.name.split(separator: "/").contains { $0.hasPrefix(".") } }
        let digests = try await sha256(objects.map { "\(root.path)/objects/\($0.name)" })
        for (object, digest) in zip(objects, digests) where object.name != "\(digest.prefix(2))/\(digest)" {
            problems.append("object \(object.name) has the content \(digest)")
        }
        let inodes = Set(objects.map(\.inode))
        for file in root.files("files") where !inodes.contains(file.inode) {
            problems.append("file \(file.name) is no link to an object")
        }
        for bundle in root.files("bundles") where !bundle.name.hasSuffix(".sha256") && !bundle.name.contains("/.") {
            let path = "\(root.path)/bundles/\(bundle.name)"
            let digest = try await sha256([path])
            let noted = (try? root.text("bundles/\(bundle.name).sha256")) ?? "nothing"
            if !noted.hasPrefix(digest.joined()) { problems.append("bundle \(bundle.name): \(digest), noted \(noted)") }
            let listing = try await Program.tool("bsdtar", ["-tf", path]).run()
            if listing.ending != .exited(0) { problems.append("bundle \(bundle.name): \(listing)") }
        }
        let known = Set(digests)
        for digest in try await catalogObjects() where !known.contains(digest) {
            problems.append("the catalog names \(digest), which is not there")
        }
        return problems
    }

    /// Names in all bundles of a job, without the lists of digests.
    func bundledNames(_ job: String) async throws -> [String] {
        var names: [String] = []
        for bundle in root.files("bundles/\(job)") where !bundle.name.hasSuffix(".sha256") {
            let listing = try await Program.tool("bsdtar", ["-tf", "\(root.path)/bundles/\(job)/\(bundle.name)"]).run()
            names += listing.outputText.split(separator: "\n").map(String.init).filter {
                !["MANIFEST.json", "SHA256SUMS"].contains($0)
            }
        }
        return names.sorted()
    }

    private func catalogObjects() async throws -> [String] {
        guard root.exists("catalog.sqlite"), Program.isInstalled("sqlite3") else { return [] }
        let tables = "SELECT count(*) FROM sqlite_master WHERE name = 'objects'"
        guard try await query(tables).outputText.hasPrefix("1") else { return [] }
        return try await query("SELECT lower(hex(sha256)) FROM objects").outputText.split(separator: "\n").map(
            String.init)
    }

    private func query(_ sql: String) async throws -> Outcome {
        try await Program.tool("sqlite3", ["\(root.path)/catalog.sqlite", sql]).run()
    }
}

/// SHA-256 of files by a tool that is not ours, in hexadecimal.
func sha256(_ paths: [String]) async throws -> [String] {
    guard !paths.isEmpty else { return [] }
    let outcome = try await Program.tool("sha256sum", ["--"] + paths).run()
    return outcome.outputText.split(separator: "\n").map { String($0.prefix(64)) }
}

/// Looks again and again until something is so.
/// - Returns: false when `timeout` passed first.
func eventually(_ timeout: Duration = .seconds(20), _ isSo: () throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + timeout
    while try !isSo() {
        guard ContinuousClock.now < end else { return false }
        try await Task.sleep(for: .milliseconds(1))
    }
    return true
}

extension NginxServer {
    /// Puts small PDF files on the site, and an index that links to them alone.
    func offer(_ names: [String]) throws {
        for name in names { try site.write(name, "%PDF-1.4\n% \(name)\n%%EOF\n") }
        try site.write("index.html", Response.links(names))
    }
}
