import Files
import Glibc

/// TCP sockets on 127.0.0.1.
package enum Loopback {
    /// A socket bound to a free port.
    /// - Parameter listens: without it the port is taken but refuses every connection.
    package static func bound(listens: Bool) throws -> (socket: Int32, port: UInt16) {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw SystemError.last("make", "a socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, length) == 0 && getsockname(number, $0, &length) == 0
            }
        }
        guard isBound, !listens || listen(number, 512) == 0 else {
            defer { close(number) }
            throw SystemError.last("listen on", "127.0.0.1")
        }
        return (number, UInt16(bigEndian: address.sin_port))
    }

    /// Runs `body` while a port is taken on which nobody listens.
    package static func refusing<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (UInt16) async throws -> sending Result
    ) async throws -> sending Result {
        let (socket, port) = try bound(listens: false)
        defer { close(socket) }
        return try await body(port)
    }

    /// Whether somebody takes connections on a port.
    package static func isOpen(_ port: UInt16) -> Bool {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return false }
        defer { close(number) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// A port that was free a moment ago, for a server that must bind it itself.
    package static func freePort() throws -> UInt16 {
        let (socket, port) = try bound(listens: false)
        close(socket)
        return port
    }
}
