import Glibc

/// Makes an empty file below a folder that is there, with the folders between, as any program would.
func create(_ path: String, in root: String) -> Bool {
    var folder = root
    let components = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    for component in components.dropLast() {
        folder += "/" + component
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { return false }
    }
    let descriptor = open(folder + "/" + (components.last ?? ""), O_CREAT | O_WRONLY | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return errno == EEXIST }
    close(descriptor)
    return true
}
