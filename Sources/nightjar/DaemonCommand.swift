import Files
import Glibc
import Lanes
import Manifests
import Processes
import Reporting
import Running

/// `nightjar daemon`.
@Sendable func runDaemon(_ invocation: Invocation) async throws -> Int32 {
    let options = try invocation.runOptions()
    let daemon = Daemon(
        root: try invocation.rootFolder(), options: options,
        service: ServiceManager(environment: invocation.environment, processID: getpid()),
        load: { invocation.manifestsNow() })
    try Signals.watchAll { signal in daemon.tell(signal == SIGHUP ? .reload : .stop(signal)) }
    do {
        let watch = try FolderWatch(try invocation.manifestFolders())
        try Lane("watch").async {
            while true { if watch.waitForChange() { daemon.tell(.reload) } }
        }
    } catch {
        options.complain("nightjar: changes of manifests are only taken at SIGHUP: \(error)")
    }
    return try await daemon.run()
}

extension Invocation {
    /// The manifests as they are now; what cannot be read at all is among what is wrong.
    fileprivate func manifestsNow() -> ManifestResult {
        do { return try readJobs(named: arguments, needsSecrets: true) } catch {
            var result = ManifestResult()
            let message = (error as? UsageError)?.message ?? "\(error)"
            result.diagnostics = [Diagnostic(file: (try? jobsFolder()) ?? "jobs", message: message)]
            return result
        }
    }

    /// Where the manifests lie.
    fileprivate func manifestFolders() throws -> [String] {
        let files = arguments.filter(isManifestPath)
        let folders = files.map { file in file.lastIndex(of: "/").map { String(file[...$0]) } ?? "." }
        let all = files.count == arguments.count && !files.isEmpty ? folders : folders + [try jobsFolder()]
        return Array(Set(all)).sorted()
    }
}
