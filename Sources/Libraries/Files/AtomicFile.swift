import Glibc

/// A file that appears under its name whole and durable, or not at all.
package final class AtomicFile {
    private let directory: Directory
    private let name: String
    private let temporary: String
    private let descriptor: Descriptor

    /// Starts a file that is to become `name`; until ``publish()`` it is `.<name>.<pid>.tmp`.
    package init(_ name: String, in directory: Directory, mode: UInt32 = 0o666) throws(SystemError) {
        self.directory = directory
        self.name = name
        temporary = ".\(name).\(getpid()).tmp"
        // One that is left can only be of a dead process that had the same number.
        try directory.remove(temporary)
        descriptor = try directory.create(temporary, mode: mode)
    }

    deinit { try? directory.remove(temporary) }

    package func write(_ bytes: [UInt8]) throws(SystemError) { try descriptor.write(bytes) }

    /// - Parameter seconds: since 1970.
    package func setModified(_ seconds: Double) throws(SystemError) { try descriptor.setModified(seconds) }

    package func status() throws(SystemError) -> FileStatus { try descriptor.status() }

    /// Makes the content durable and gives it its name, over an older file of that name.
    package func publish() throws(SystemError) {
        try descriptor.synchronize()
        try directory.rename(temporary, to: directory, name)
        try directory.synchronize()
    }
}

extension Directory {
    /// Replaces a small file as a whole.
    package func replace(_ name: String, with bytes: [UInt8], mode: UInt32 = 0o666) throws(SystemError) {
        let file = try AtomicFile(name, in: self, mode: mode)
        try file.write(bytes)
        try file.publish()
    }

    /// Makes `name` a symbolic link to another name of this directory, in place of an older link.
    package func replaceLink(_ name: String, to target: String) throws(SystemError) {
        let temporary = ".\(name).\(getpid()).tmp"
        try remove(temporary)
        try check("link", below(name)) { symlinkat(target, number, temporary) }
        try rename(temporary, to: self, name)
        try synchronize()
    }
}
