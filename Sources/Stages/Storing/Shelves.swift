import Files
import Synchronization

/// The folders below `objects/` that were met, kept open: there are 256 at most, and every file passes one twice.
final class Shelves: Sendable {
    let objects: Directory
    private let folders = Mutex<[String: Directory]>([:])

    init(of objects: Directory) { self.objects = objects }

    func folder(of name: ObjectName, create: Bool = false) throws(SystemError) -> Directory {
        let folder = name.folder
        if let known = folders.withLock({ $0[folder] }) { return known }
        let opened = try objects.directory(folder, create: create)
        folders.withLock { $0[folder] = opened }
        return opened
    }
}
