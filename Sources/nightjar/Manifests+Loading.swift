import Reporting
import Manifests
import Model

extension Invocation {
    /// The jobs that the arguments name, or all of the jobs folder; nil, with the mistakes printed, when a manifest
    /// that they need is wrong.
    /// - Parameters:
    ///   - words: what to take for the arguments, where not all of them name jobs.
    ///   - needsSecrets: whether a secret that is not there is a mistake.
    /// - Throws: ``UsageError`` for a job that does not exist.
    func loadJobs(named words: [String]? = nil, needsSecrets: Bool = true) throws -> [Job]? {
        let result = try readJobs(named: words ?? arguments, needsSecrets: needsSecrets)
        for diagnostic in result.diagnostics { printError("\(diagnostic)\n") }
        if result.hasErrors { return nil }
        if result.jobs.isEmpty { throw UsageError("there is no manifest in \(try jobsFolder())") }
        return result.jobs
    }

    /// The jobs that the words name, or all of the jobs folder, and what is wrong with the manifests.
    /// - Throws: ``UsageError`` for a job that does not exist.
    func readJobs(named arguments: [String], needsSecrets: Bool) throws -> ManifestResult {
        let files = arguments.filter(isManifestPath)
        let names = arguments.filter { !isManifestPath($0) }.reduce(into: [String]()) { seen, name in
            if !seen.contains(name) { seen.append(name) }
        }
        var result = ManifestReader.read(paths: files)
        if arguments.isEmpty || !names.isEmpty {
            let folder = ManifestReader.read(folder: try jobsFolder())
            let jobs = try names.isEmpty ? folder.jobs : names.map { try job($0, in: folder) }
            result.jobs += jobs
            // A job that is named runs even though its neighbour's manifest is broken.
            if names.isEmpty { result.diagnostics += folder.diagnostics }
        }
        for job in result.jobs where needsSecrets {
            result.diagnostics += Secrets.missing(of: job, environment: environment)
        }
        return result
    }

    /// The jobs of the jobs folder whose manifests are right; none when there is no such folder.
    func jobsThatCanBeRead() -> [Job] {
        guard let folder = try? jobsFolder() else { return [] }
        return ManifestReader.read(folder: folder).jobs
    }

    private func job(_ name: String, in folder: ManifestResult) throws -> Job {
        if let job = folder.jobs.first(where: { $0.name == name }) { return job }
        let broken = Set(folder.diagnostics.map(\.file)).sorted().joined(separator: ", ")
        let known = folder.jobs.map(\.name).joined(separator: ", ")
        throw UsageError(
            "there is no job '\(shown(name))' in \(try jobsFolder())" + (known.isEmpty ? "" : "; there are: \(known)")
                + (broken.isEmpty ? "" : "; wrong are (see nightjar check): \(broken)"))
    }
}

/// Whether an argument is a manifest's path rather than the name of a job.
func isManifestPath(_ word: String) -> Bool {
    word.contains("/") || [".yaml", ".yml", ".json"].contains { word.hasSuffix($0) }
}
