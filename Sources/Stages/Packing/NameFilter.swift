/// Which names go into a bundle: those that an include matches, or all where there is none, and no exclude does.
///
/// In a glob `*` stands for any run of characters, `?` for one, everything else for itself. A glob without a slash is
/// held against a name's last component, one with a slash against the whole name.
struct NameFilter {
    let include: [String]
    let exclude: [String]

    func takes(_ name: String) -> Bool {
        let isIncluded = include.isEmpty || include.contains { Self.matches($0, name) }
        return isIncluded && !exclude.contains { Self.matches($0, name) }
    }

    static func matches(_ glob: String, _ name: String) -> Bool {
        let whole = name.unicodeScalars
        guard !glob.utf8.contains(UInt8(ascii: "/")), let slash = whole.lastIndex(of: "/") else {
            return matches(Array(glob.unicodeScalars), Array(whole))
        }
        return matches(Array(glob.unicodeScalars), Array(whole[whole.index(after: slash)...]))
    }

    /// In time linear in both for each star: only the last star that was met is ever tried again.
    private static func matches(_ glob: [Unicode.Scalar], _ name: [Unicode.Scalar]) -> Bool {
        var (place, position) = (0, 0)
        var star: (place: Int, position: Int)?
        while position < name.count {
            if place < glob.count, glob[place] == "*" {
                star = (place, position)
                place += 1
            } else if place < glob.count, glob[place] == "?" || glob[place] == name[position] {
                place += 1
                position += 1
            } else if let last = star {
                star = (last.place, last.position + 1)
                (place, position) = (last.place + 1, last.position + 1)
            } else {
                return false
            }
        }
        return glob[place...].allSatisfy { $0 == "*" }
    }
}
