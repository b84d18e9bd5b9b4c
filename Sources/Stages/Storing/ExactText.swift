import Glibc

/// Text that is another one wherever a byte differs, for sets and dictionaries: what `String` finds equal may be two
/// names on a disk.
struct ExactText: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ExactText, right: ExactText) -> Bool {
        guard left.text.utf8.count == right.text.utf8.count else { return false }
        var (one, other) = (left.text, right.text)
        return one.withUTF8 { one in
            other.withUTF8 { other in
                guard let one = one.baseAddress, let other = other.baseAddress else { return true }
                return memcmp(one, other, left.text.utf8.count) == 0
            }
        }
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
