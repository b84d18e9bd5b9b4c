import Digests
import Files
package import Model
import YAML

/// What reading manifests gave: the jobs that are right, and all that is wrong with the others.
package struct ManifestResult: Sendable {
    /// In the order of their files.
    package var jobs: [Job] = []
    /// The names of all jobs, also of those whose manifests are wrong, as far as these tell; in order of their files.
    package var names: [String] = []
    /// By file, then by place.
    package var diagnostics: [Diagnostic] = []

    package init() {}

    /// True when nothing may be started.
    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

/// Reads manifests. Everything here blocks for as long as small files take to read; it is done before a run starts.
package enum ManifestReader {
    /// Reads one manifest: YAML, or strict JSON when the name ends in `.json`.
    /// - Returns: the job when nothing is wrong; every error of the file, sorted by place, otherwise.
    package static func read(path: String) -> (job: Job?, diagnostics: [Diagnostic]) {
        let one = OneManifest(path)
        return (one.job, one.diagnostics)
    }

    /// Reads manifests from a text that lies nowhere.
    /// - Parameters:
    ///   - path: names the text in messages; relative paths in it start from its folder.
    package static func read(text: [UInt8], path: String) -> (job: Job?, diagnostics: [Diagnostic]) {
        let one = OneManifest(text, path)
        return (one.job, one.diagnostics)
    }

    /// Reads every `*.yaml`, `*.yml` and `*.json` of a folder, in the order of their names' bytes; hidden files are not
    /// looked at. A folder without manifests gives no jobs and no error.
    package static func read(folder: String) -> ManifestResult {
        let names: [String]
        do throws(SystemError) {
            names = try Directory(folder).names()
        } catch {
            var result = ManifestResult()
            let reason = error.isMissing ? "there is no such folder" : error.reason
            result.diagnostics = [
                Diagnostic(file: folder, message: "the jobs folder cannot be read: \(reason); name one with --jobs")
            ]
            return result
        }
        return assemble(OneManifest.all(manifests(names, in: folder)), neighbours: [])
    }

    private static func manifests(_ names: [String], in folder: String) -> [String] {
        let manifests = names.filter { name in
            !name.hasPrefix(".") && [".yaml", ".yml", ".json"].contains { name.hasSuffix($0) }
        }
        let sorted = manifests.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return sorted.map { folder.hasSuffix("/") ? folder + $0 : "\(folder)/\($0)" }
    }

    /// Reads manifests and finds names that two of them give to their jobs, and needs that cannot be met. A path given
    /// twice is read once. What they need may also stand beside them, in the same folder.
    package static func read(paths: [String]) -> ManifestResult {
        let read = OneManifest.all(paths)
        let names = Set(read.compactMap(\.name?.value))
        let folders = Set(read.filter { $0.needs.contains { !names.contains($0.value) } }.map(\.folder))
        let given = Set(paths)
        let others = folders.sorted().flatMap { folder in
            manifests((try? Directory(folder).names()) ?? [], in: folder)
                .filter { !given.contains($0) }
        }
        return assemble(
            read,
            neighbours: OneManifest.all(others).filter { one in
                one.name.map { !names.contains($0.value) } ?? false
            })
    }

    private static func assemble(_ manifests: [OneManifest], neighbours: [OneManifest]) -> ManifestResult {
        var result = ManifestResult()
        let graph = NeedGraph(manifests.map(\.node) + neighbours.map(\.node))
        let problems = Dictionary(grouping: graph.problems, by: \.node)
        var owners: [String: (file: String, line: Int)] = [:]
        var files: [String: (file: String, line: Int)] = [:]
        for (index, manifest) in manifests.enumerated() {
            var one = manifest
            for problem in problems[index] ?? [] { one.add(problem.position, problem.message) }
            if let metrics = one.metrics {
                if let owner = files.updateValue((one.path, metrics.position.line), forKey: metrics.value) {
                    one.add(metrics.position, "metrics: \(owner.file):\(owner.line) has this file written over already")
                }
            }
            if let name = one.name {
                if let owner = owners[name.value] {
                    one.addDuplicate(of: owner)
                } else {
                    owners[name.value] = (one.path, name.position.line)
                }
            }
            if let name = one.name?.value, !result.names.contains(name) { result.names.append(name) }
            if let job = one.job { result.jobs.append(job) }
            result.diagnostics += one.diagnostics
        }
        return result
    }
}

/// One manifest, read.
private struct OneManifest {
    let path: String
    private(set) var job: Job?
    /// The job's name and its place, also when something else is wrong.
    private(set) var name: Placed<String>?
    private(set) var needs: [Placed<String>] = []
    private(set) var metrics: Placed<String>?
    private(set) var diagnostics: [Diagnostic] = []

    /// Those at the paths, each read once.
    static func all(_ paths: [String]) -> [OneManifest] {
        var seen: Set<[UInt8]> = []
        return paths.filter { seen.insert(Array($0.utf8)).inserted }.map { OneManifest($0) }
    }

    /// Where it lies, for looking beside it.
    var folder: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    var node: NeedGraph.Node { NeedGraph.Node(name: name?.value ?? "", needs: needs) }

    init(_ path: String) {
        do throws(FileProblem) {
            self = OneManifest(try readFile(path, limit: YAMLDocument.largest), path)
        } catch {
            self = OneManifest(path, failed: "the manifest \(error.reason)")
        }
    }

    private init(_ path: String, failed message: String) {
        self.path = path
        diagnostics = [Diagnostic(file: path, message: message)]
    }

    init(_ bytes: [UInt8], _ path: String) {
        self.path = path
        let digest: String
        do throws(DigestError) { digest = hex(try SHA256.digest(of: bytes)) } catch {
            diagnostics = [Diagnostic(file: path, message: error.description)]
            return
        }
        let isJSON = path.lowercased().hasSuffix(".json")
        let document = isJSON ? YAMLDocument(json: bytes) : YAMLDocument(yaml: bytes)
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? ""
        let draft = Draft(
            job: Job(name: "", manifest: path, manifestSHA256: digest),
            folder: folder.isEmpty && path.hasPrefix("/") ? "/" : folder)
        var reading = ManifestReading(file: path, draft: draft)
        for problem in document.problems { reading.note(problem.position, problem.message) }
        if let root = document.root {
            reading.readMapping(root, by: .manifest)
            reading.finish()
        } else if document.problems.isEmpty {
            reading.note(.start, "the manifest is empty; it needs at least 'job' and 'start'")
        }
        name = reading.draft.name
        needs = reading.draft.needs
        metrics = reading.draft.metrics
        diagnostics = reading.sorted
        if !diagnostics.contains(where: { $0.severity == .error }) { job = reading.draft.job }
    }

    mutating func addDuplicate(of owner: (file: String, line: Int)) {
        guard let name else { return }
        add(name.position, "job: the name '\(name.value)' is taken by \(owner.file):\(owner.line)")
    }

    /// Adds what is wrong with it beside others.
    mutating func add(_ position: SourcePosition, _ message: String) {
        job = nil
        diagnostics.append(
            Diagnostic(file: path, line: position.line, column: position.column, message: message))
        diagnostics = ManifestReading.sorted(diagnostics)
    }
}

extension ManifestReading {
    /// All that was wrong, by place, with a word about what is not shown.
    var sorted: [Diagnostic] {
        var all = Self.sorted(diagnostics)
        if unshown > 0, let last = all.last {
            all.append(
                Diagnostic(
                    file: file, line: last.line, column: last.column, message: "\(unshown) more problems are not shown")
            )
        }
        return all
    }

    /// By place; what stands at one place keeps its order.
    static func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.enumerated().sorted { left, right in
            (left.element.line, left.element.column, left.offset)
                < (right.element.line, right.element.column, right.offset)
        }.map(\.element)
    }
}
