/// Whether a name can stand in an archive without leading anybody out of the folder where it is unpacked: relative,
/// and no component is empty, `.` or `..`.
func isClean(_ name: String) -> Bool {
    guard !name.isEmpty, !name.utf8.contains(0) else { return false }
    return name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { component in
        !component.isEmpty && !component.elementsEqual(".".utf8) && !component.elementsEqual("..".utf8)
    }
}

/// Order of names by their bytes; String's own calls NFC and NFD the same.
func precedes(_ name: String, _ other: String) -> Bool {
    name.utf8.lexicographicallyPrecedes(other.utf8)
}
