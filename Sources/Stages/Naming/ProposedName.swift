package import Model

/// The name that a resource should have, below its job's folder, and why.
package struct ProposedName: Sendable, Hashable {
    /// Safe components between slashes, in NFC.
    package let path: String
    package let stem: String
    package let stemSource: StemSource
    /// Without the dot.
    package let `extension`: String
    package let extensionSource: ExtensionSource
    /// For people: what decided the extension.
    package let extensionRule: String
    /// The name that the Content-Disposition header gave, as it gave it.
    package let filename: String?
    /// True when the content is an HTML page although the name says that it is a document of another kind: most
    /// often an error or login page.
    package let isPageInstead: Bool

    /// The name to try after so many: 1 is the name itself, 2 has `-2` before the extension, and so on.
    ///
    /// - Returns: the name, and the key under which it collides with others.
    package func alternative(_ number: Int) -> (name: String, folded: String) {
        guard number > 1 else { return (path, SafeName.folded(path)) }
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        var leaf = String(path[slash...])
        var end = ""
        if !`extension`.isEmpty, leaf.utf8.count > `extension`.utf8.count + 1, leaf.hasSuffix("." + `extension`) {
            end = "." + `extension`
            leaf = String(leaf.dropLast(end.count))
        }
        end = "-\(number)" + end
        let name = path[..<slash] + SafeName.prefix(leaf, bytes: 255 - end.utf8.count) + end
        return (String(name), SafeName.folded(String(name)))
    }

    /// The first of the alternatives that is free; the numbers end where nobody can have come.
    /// - Parameter isTaken: tells whether a name with that folded key is there.
    package func resolved(isTaken: (_ folded: String) -> Bool) -> (name: String, folded: String) {
        var number = 1
        while true {
            let (name, folded) = alternative(number)
            if !isTaken(folded) { return (name, folded) }
            number += 1
        }
    }
}
