import Files

extension Directory {
    /// Moves a file to another folder under a name that nothing has there: what was set aside before stays.
    /// - Parameters:
    ///   - front: the wanted name; `-2` and so on follow it when it is taken.
    ///   - end: stands behind the number.
    /// - Returns: the name that it got.
    @discardableResult
    func setAside(_ name: String, in folder: Directory, as front: String, _ end: String) throws -> String {
        for number in 1...Self.mostAside {
            let free = number == 1 ? front + end : "\(front)-\(number)\(end)"
            if try folder.status(free) != nil { continue }
            if try takesPlace(name, in: folder, as: free) { return free }
        }
        throw SystemError("set aside", below(name), code: 17)
    }

    /// - Returns: false when the name was taken meanwhile.
    private func takesPlace(_ name: String, in folder: Directory, as free: String) throws -> Bool {
        do { try renameNew(name, to: folder, free) } catch {
            if error.alreadyExists { return false }
            guard error.isNotSupported else { throw error }
            try rename(name, to: folder, free)
        }
        return true
    }

    private static var mostAside: Int { 99_999 }
}
