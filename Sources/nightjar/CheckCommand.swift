import Manifests

/// `nightjar check`.
@Sendable func checkManifests(_ invocation: Invocation) async throws -> Int32 {
    if invocation.has(.schema) || invocation.has(.reference) {
        try printOutput(invocation.has(.schema) ? ManifestReader.schema() : ManifestReader.reference())
        return 0
    }
    let result =
        invocation.arguments.isEmpty
        ? ManifestReader.read(folder: try invocation.jobsFolder()) : ManifestReader.read(paths: invocation.arguments)
    if result.jobs.isEmpty, result.diagnostics.isEmpty {
        throw UsageError("there is no manifest in \(try invocation.jobsFolder())")
    }
    let missing = result.jobs.flatMap { Secrets.missing(of: $0, environment: invocation.environment) }
    for diagnostic in result.diagnostics + missing { try printOutput("\(diagnostic)\n") }
    return result.hasErrors || !missing.isEmpty ? 2 : 0
}
