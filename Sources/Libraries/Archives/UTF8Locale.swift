import Glibc

/// A UTF-8 character type for the calling thread alone. libarchive converts names by the locale: in the C locale it
/// crashes on a UTF-8 name or writes an empty one, and cron sets no other.
struct UTF8Locale: ~Copyable {
    private let locale: locale_t

    init() throws(ArchiveError) {
        guard let locale = newlocale(Int32(1) << Int32(LC_CTYPE), "C.UTF-8", nil) else {
            throw .fatal("prepare names", "the system has no locale C.UTF-8", code: errno)
        }
        self.locale = locale
    }

    deinit { freelocale(locale) }

    /// Runs `body` under the locale; the thread has its own one back afterwards.
    borrowing func run<Value>(_ body: () -> Value) -> Value {
        let former = uselocale(locale)
        defer { _ = uselocale(former) }
        return body()
    }
}
