package import Files
import Lanes
import Synchronization
import Times
package import URLs

/// The jar of a run, for any number of tasks at once: in memory alone, or kept in a file that other runs may use at the
/// same time.
///
/// A cookie counts for the next request as soon as ``receive(_:from:turn:)`` returns. In a shared jar it is in the file
/// before ``end(_:)`` returns, and what others have written is looked at before each request, so that a session that
/// changes with every answer is not lost between them.
package final class CookieStore: Sendable {
    struct State {
        var jar = CookieJar()
        /// As the file had it when it was read or written last.
        var base = CookieJar()
        var stamp: CookieFile.Stamp?
        var imported: String?
        var lastSave = ContinuousClock.now
    }
    let state = Mutex(State())
    let now: @Sendable () -> Double
    private let kept: Kept?

    struct Kept: Sendable {
        let file: CookieFile
        let users: AccessLock
        let lane: Lane
        /// Nil in a jar that one run has for itself.
        let turns: CookieTurns?
        let keepsSession: Bool
        var isShared: Bool { turns != nil }
    }

    /// A request's turn at a host whose cookies change with every answer; nothing where none is needed.
    package struct Turn: Sendable {
        let turn: CookieTurns.Turn?
    }

    /// What is not urgent is written this often.
    private static let patience = Duration.seconds(5)

    /// A jar in memory, gone at the end.
    package init(now: @escaping @Sendable () -> Double = { currentTime() }) {
        kept = nil
        self.now = now
    }

    private init(_ kept: Kept, now: @escaping @Sendable () -> Double) {
        self.kept = kept
        self.now = now
    }

    /// Opens a jar that is kept, and makes it when it is missing.
    /// - Parameters:
    ///   - name: of the jar, without `.txt`.
    ///   - isShared: other runs may use it at the same time.
    ///   - keepsSession: session cookies outlive the run.
    /// - Returns: the jar, and the lines of its file that were passed over.
    /// - Throws: `SystemError`, `LaneError`.
    package static func open(
        _ name: String, in directory: Directory, isShared: Bool, keepsSession: Bool,
        now: @escaping @Sendable () -> Double = { currentTime() }
    ) async throws -> (store: CookieStore, problems: [CookieText.Problem]) {
        let lane = try Lane("cookies")
        return try await lane.run {
            let file = try CookieFile(name, in: directory)
            let turns = isShared ? try CookieTurns(try file.turns()) : nil
            let kept = Kept(
                file: file, users: try file.users(), lane: lane, turns: turns, keepsSession: keepsSession)
            let store = CookieStore(kept, now: now)
            return (store, try store.load(kept))
        }
    }

    /// The file's path, for messages; nil for a jar in memory.
    package var path: String? { kept?.file.path }

    /// The value of the `Cookie` field for a request, nil for none, and the turn that it waited for: the request is to be
    /// sent at once, and ``end(_:)`` called whatever becomes of it.
    /// - Parameter taken: names that are sent anyhow.
    package func header(for url: WebURL, without taken: Set<[UInt8]> = []) async -> (field: [UInt8]?, turn: Turn) {
        let turn = await kept?.turns?.enter(url.host ?? "")
        // Where the file cannot be read, what is known is better than nothing.
        if let kept, kept.isShared { try? await kept.lane.run { try self.synchronize(kept, .refresh) } }
        return (state.withLock { $0.jar.header(for: url, now: now(), without: taken) }, Turn(turn: turn))
    }

    /// Takes the `Set-Cookie` fields of an answer, also when there are none. Never blocks for longer than it takes to
    /// read them.
    /// - Returns: true when the next request there would send something else.
    @discardableResult
    package func receive(_ fields: [[UInt8]], from url: WebURL, turn: Turn = Turn(turn: nil)) -> Bool {
        let clock = ContinuousClock.now
        let (effect, isDue) = state.withLock { state in
            let effect = state.jar.receive(fields, from: url, now: now())
            let isDue = effect > .none && clock - state.lastSave > Self.patience
            if isDue { state.lastSave = clock }
            return (effect, isDue)
        }
        guard let kept else { return effect >= .changed }
        if effect == .replaced {
            kept.turns?.changed(url.host ?? "")
        } else {
            kept.turns?.left(url.host ?? "")
        }
        if isDue || kept.isShared && effect >= .changed {
            kept.lane.async {
                self.save(kept)
                kept.turns?.leave(turn.turn)
            }
        } else {
            kept.turns?.leave(turn.turn)
        }
        return effect >= .changed
    }

    /// Waits until what was received is where the other users of the jar see it, and gives the turn back.
    package func end(_ turn: Turn = Turn(turn: nil)) async {
        guard let kept, kept.isShared else { return }
        if state.withLock({ $0.jar.hasChanges }) { try? await kept.lane.run { self.save(kept) } }
        kept.turns?.leave(turn.turn)
    }

    /// Looks at and changes the jar, in memory.
    package func change<Value: Sendable>(_ body: @Sendable (inout CookieJar, _ now: Double) -> Value) -> Value {
        state.withLock { body(&$0.jar, now()) }
    }

    /// What a cookies.txt holds now.
    package func read(_ bytes: [UInt8]) -> CookieText.Content { CookieText.read(bytes, now: now()) }

    /// Takes cookies of a file: all of them when it is newer than the last that was taken, else only session cookies
    /// that are missing, since the end of a run lets these go.
    /// - Parameters:
    ///   - path: where it lies.
    ///   - modified: when it was changed last, in seconds since 1970.
    package func take(_ content: CookieText.Content, path: String, modified: Double) {
        let time = now()
        state.withLock { state in
            let isNew: Bool
            let last = state.imported?.split(separator: " ", maxSplits: 1)
            if let last, last.count == 2, last[1] == path, let before = Double(last[0]) {
                isNew = modified > before
            } else {
                isNew = true
            }
            for cookie in content.jar.cookies {
                let isMissing = cookie.expires == nil && state.jar[cookie.identity] == nil
                if isNew || isMissing { state.jar.set(cookie, now: time) }
            }
            if isNew { state.imported = "\(modified) \(path)" }
        }
    }

    /// Writes the last changes. Session cookies go with the last run that uses the jar, unless they are to be kept.
    /// - Throws: `SystemError` when the jar could not be kept.
    package func close() async throws {
        guard let kept else { return }
        try await kept.lane.run { try self.synchronize(kept, .close) }
    }

    private func save(_ kept: Kept) {
        guard state.withLock({ $0.jar.hasChanges }) else { return }
        // Tried again at the next change, and at the end, which then tells.
        try? synchronize(kept, .publish)
    }
}
