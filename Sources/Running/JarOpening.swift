import Cookies
import Files
import Manifests
import Model
import Storing

/// The jar that a job's cookies live in.
struct JarOpening: Sendable {
    let job: Job
    let events: RunEvents

    /// Opens the jar and takes what is imported; broken lines are told.
    /// - Parameter folder: `cookies/` below the root.
    func open(in folder: Directory) async throws -> CookieStore {
        let rules = job.cookies
        let store: CookieStore
        switch rules.jar {
        case .ephemeral: store = CookieStore()
        case .isolated: store = try await open("job.\(job.name)", isShared: false, in: folder)
        case .pool(let name): store = try await open(name, isShared: true, in: folder)
        }
        if let path = rules.importPath { try await take(path, into: store) }
        return store
    }

    private func open(_ name: String, isShared: Bool, in folder: Directory) async throws -> CookieStore {
        let (store, problems) = try await CookieStore.open(
            name, in: folder, isShared: isShared, keepsSession: job.cookies.keepsSession)
        await tell(problems, of: folder.below("\(name).txt"))
        return store
    }

    private func take(_ path: String, into store: CookieStore) async throws {
        let file = try Secrets.datedFile(path, limit: CookieText.largest)
        let content = store.read(file.bytes)
        store.take(content, path: path, modified: file.modified)
        await tell(content.problems, of: path)
    }

    private func tell(_ problems: [CookieText.Problem], of path: String) async {
        for problem in problems.prefix(20) {
            await events.warn("cookie-line", "\(path):\(problem.line): \(problem.message); the line was passed over")
        }
        if problems.count > 20 {
            await events.warn("cookie-line", "\(path): \(problems.count - 20) more lines were passed over")
        }
    }
}
