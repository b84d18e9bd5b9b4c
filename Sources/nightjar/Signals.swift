import Glibc
import Lanes

/// Waits for SIGINT, SIGTERM and SIGHUP on a thread of its own.
enum Signals {
    /// To be called before any other thread is started: they inherit that these signals are blocked.
    static func block() {
        var set = handled()
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A reader that went away is told by write's error instead.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Calls `first` with the first signal; the second one ends the program at once, after `last`.
    static func watch(
        _ first: @escaping @Sendable (Int32) -> Void, last: @escaping @Sendable () -> Void = {}
    ) throws {
        let lane = try Lane("signals")
        lane.async {
            first(wait())
            let second = wait()
            last()
            _exit(128 + second)
        }
    }

    /// Calls `each` with every signal, until a second one asks for the end: that ends the program at once.
    static func watchAll(_ each: @escaping @Sendable (Int32) -> Void) throws {
        let lane = try Lane("signals")
        lane.async {
            var isEnding = false
            while true {
                let number = wait()
                if number != SIGHUP {
                    if isEnding { _exit(128 + number) }
                    isEnding = true
                }
                each(number)
            }
        }
    }

    private static func wait() -> Int32 {
        var set = handled()
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
        return number
    }

    private static func handled() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, number) }
        return set
    }
}
