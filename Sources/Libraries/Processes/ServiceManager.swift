import Glibc

/// The service manager that started us, told of our state over its socket (sd_notify(3)); nobody, when we were started
/// otherwise.
package struct ServiceManager: Sendable {
    private let socket: String?
    /// How often it wants to hear from us at least; nil when it does not.
    package let watchdog: Duration?

    package init(environment: [String: String], processID: Int32) {
        socket = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isOurs = environment["WATCHDOG_PID"].map { $0 == "\(processID)" } ?? true
        let interval = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
        watchdog = isOurs && socket != nil ? interval.map { .microseconds($0) } : nil
    }

    package func ready(_ status: String) { tell("READY=1\nSTATUS=\(status)") }

    package func status(_ status: String) { tell("STATUS=\(status)") }

    package func alive() { tell("WATCHDOG=1") }

    package func stopping() { tell("STOPPING=1\nSTATUS=ends in order") }

    /// To be followed by ``ready(_:)``.
    package func reloading() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        tell("RELOADING=1\nMONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)")
    }

    /// A manager that does not listen is no reason to fail.
    private func tell(_ state: String) {
        guard let path = socket, path.utf8.count < 108 else { return }
        let number = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return }
        defer { close(number) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        // An abstract name begins with a zero byte in place of the '@'.
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let text = Array(state.utf8)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                sendto(number, text, text.count, Int32(MSG_NOSIGNAL), address, length)
            }
        }
    }
}
