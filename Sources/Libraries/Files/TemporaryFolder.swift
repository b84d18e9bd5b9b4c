import Glibc

/// A folder for the while that this value lives; removed with all that is in it.
package final class TemporaryFolder: Sendable {
    package let path: String
    private let directory: Directory

    /// - Parameter parent: where to make it; readable for the user alone.
    package init(below parent: String) throws(SystemError) {
        var template = Array("\(parent)/nightjar-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .last("make a folder in", parent) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        directory = try Directory(path)
    }

    deinit {
        try? directory.removeContents()
        rmdir(path)
    }
}

extension Directory {
    /// Removes everything in this directory, links and not what they point to.
    fileprivate func removeContents() throws(SystemError) {
        for name in try names() {
            if try status(name)?.isDirectory == true {
                try directory(name).removeContents()
                try removeDirectory(name)
            } else {
                try remove(name)
            }
        }
    }
}
