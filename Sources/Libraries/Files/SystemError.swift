import Glibc

/// A system call that failed: what was tried, on what, and errno.
package struct SystemError: Error, Sendable, CustomStringConvertible {
    /// For people, such as "write" or "rename".
    package let operation: String
    package let path: String
    /// errno.
    package let code: Int32

    package init(_ operation: String, _ path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// Takes errno as the call before left it.
    package static func last(_ operation: String, _ path: String) -> SystemError {
        SystemError(operation, path, code: errno)
    }

    package var reason: String { String(cString: strerror(code)) }

    /// No room left on the device or in the user's quota.
    package var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }
    package var isMissing: Bool { code == ENOENT }
    /// The file system does not know how to do that.
    package var isNotSupported: Bool { code == EINVAL || code == ENOSYS || code == EOPNOTSUPP }
    package var alreadyExists: Bool { code == EEXIST }

    package var description: String { "cannot \(operation) \(path): \(reason)" }
}

/// The one door for results of system calls: repeats after EINTR, turns -1 into an error.
@discardableResult
func check(_ operation: String, _ path: String, _ call: () -> Int32) throws(SystemError) -> Int32 {
    while true {
        let result = call()
        if result >= 0 { return result }
        if errno != EINTR { throw .last(operation, path) }
    }
}
