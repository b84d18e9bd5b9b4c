import Files
import Synchronization

extension CookieStore {
    enum Errand {
        case refresh, publish, close
    }

    /// Reads the file for the first time. On the jar's lane.
    func load(_ kept: Kept) throws(SystemError) -> [CookieText.Problem] {
        try kept.file.locked(alone: true) { () throws(SystemError) in
            try kept.file.removeLeftovers()
            let isAlone = try kept.users.attempt(alone: true)
            _ = try kept.users.attempt(alone: false)
            let time = now()
            let stamp = try kept.file.stamp()
            let content = try kept.file.read(now: time)
            state.withLock { state in
                state.jar = content.jar
                state.base = content.jar
                state.stamp = stamp
                state.imported = content.imported
                // A run that was killed could not let them go.
                if isAlone, content.isUnderWay, !kept.keepsSession { state.jar.keep(now: time) { $0.expires != nil } }
            }
            return content.problems
        }
    }

    /// Brings jar and file together. On the jar's lane.
    func synchronize(_ kept: Kept, _ errand: Errand) throws(SystemError) {
        try kept.file.locked(alone: errand != .refresh) { () throws(SystemError) in
            try takeOver(kept)
            guard errand != .refresh else { return }
            // Whoever uses the jar is counted under the file's lock, so this cannot change meanwhile.
            let isLast = errand == .close ? try kept.users.attempt(alone: true) : false
            defer { if errand == .close { kept.users.release() } }
            try publish(kept, isLast: isLast)
        }
    }

    /// Takes over what others have written.
    private func takeOver(_ kept: Kept) throws(SystemError) {
        let stamp = try kept.file.stamp()
        guard state.withLock({ $0.stamp != stamp }) else { return }
        let time = now()
        let theirs = try kept.file.read(now: time)
        for cookie in theirs.jar.cookies {
            let known = state.withLock { $0.base[cookie.identity] }
            if let known, known.value != cookie.value { kept.turns?.changed(cookie.identity.domain) }
        }
        state.withLock { state in
            state.jar = state.jar.merged(
                into: theirs.jar, base: state.base, written: stamp?.modified ?? -.infinity, now: time)
            state.base = theirs.jar
            state.stamp = stamp
        }
    }

    /// Writes what the file does not have yet.
    /// - Parameter isLast: nobody else uses the jar, and its run ends.
    private func publish(_ kept: Kept, isLast: Bool) throws(SystemError) {
        let time = now()
        let (mine, base, stamp, imported) = state.withLock { state in
            if isLast, !kept.keepsSession { state.jar.keep(now: time) { $0.expires != nil } }
            state.jar.purge(now: time)
            defer { state.jar.settle() }
            return (state.jar, state.base, state.stamp, state.imported)
        }
        guard mine.hasChanges || isLast && mine.cookies != base.cookies else { return }
        var content = CookieText.Content()
        content.jar = mine
        content.imported = imported
        content.isUnderWay = !isLast && !kept.keepsSession && mine.cookies.contains { $0.expires == nil }
        do throws(SystemError) {
            let newest = mine.changes.values.reduce(stamp?.modified ?? time) { max($0, $1) }
            let written = try kept.file.write(content, modified: newest)
            state.withLock { state in
                state.base = mine
                state.base.settle()
                state.stamp = written
            }
        } catch {
            state.withLock { $0.jar.unsettle(mine.changes) }
            throw error
        }
    }
}
