import CMagic
import Synchronization

/// Tells what content is from its first bytes, by libmagic and by the names inside zip files.
///
/// libmagic's database is opened at the first question; one thread asks at a time.
package final class ContentSniffer: Sendable {
    private let magic = Mutex<MagicHandle?>(nil)
    private let database: String?

    /// - Parameter database: a compiled magic file; nil takes libmagic's own.
    package init(database: String? = nil) { self.database = database }

    /// Opens the database now, so that a missing one shows before anything depends on it.
    /// - Throws: what to install.
    package func load() throws(ContentSnifferError) {
        try magic.withLock { handle throws(ContentSnifferError) in
            if handle == nil { handle = try MagicHandle(database: database) }
        }
    }

    /// The MIME type of content; nil when its bytes do not tell.
    ///
    /// Of the many kinds of text that libmagic guesses from single words only those are passed on whose marks are
    /// sure; the rest is `text/plain`.
    /// - Parameter prefix: the content's first bytes; those beyond 64 KiB are not looked at.
    /// - Throws: what to install when libmagic's database is missing.
    package func type(of prefix: [UInt8]) throws(ContentSnifferError) -> String? {
        guard !prefix.isEmpty else { return nil }
        if let type = zipType(prefix) ?? signatureType(prefix) { return type }
        guard isWorthAsking(prefix) else { return nil }
        let found = try magic.withLock { handle throws(ContentSnifferError) -> String? in
            if handle == nil { handle = try MagicHandle(database: database) }
            return handle?.type(of: prefix.prefix(65536))
        }
        guard let found else { return nil }
        return trusted(found, prefix)
    }
}

/// libmagic could not be used.
package struct ContentSnifferError: Error, Sendable, Hashable, CustomStringConvertible {
    package let message: String
    package var description: String { message }
}

/// One open libmagic; its functions are not to be called by two threads at once.
private struct MagicHandle: ~Copyable {
    private let cookie: magic_t

    init(database: String?) throws(ContentSnifferError) {
        guard let cookie = magic_open(MAGIC_MIME_TYPE | MAGIC_NO_CHECK_ELF) else {
            throw ContentSnifferError(message: "libmagic could not start: there is no memory left")
        }
        guard magic_load(cookie, database) == 0 else {
            let reason = magic_error(cookie).map { String(cString: $0) } ?? "no reason given"
            magic_close(cookie)
            throw ContentSnifferError(
                message: "libmagic cannot load its database of file types (\(reason)): install the package libmagic1")
        }
        self.cookie = cookie
    }

    deinit { magic_close(cookie) }

    func type(of bytes: ArraySlice<UInt8>) -> String? {
        bytes.withUnsafeBytes { buffer in
            magic_buffer(cookie, buffer.baseAddress, buffer.count).map { String(cString: $0) }
        }
    }
}
