import Glibc

/// A path from the root, without asking the file system what lies there; an empty one is the working directory.
package func absolutePath(_ path: String) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    guard let buffer = getcwd(nil, 0) else { return path }
    defer { free(buffer) }
    let folder = String(cString: buffer)
    let rest = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    if rest.isEmpty || rest == "." { return folder }
    return folder.hasSuffix("/") ? folder + rest : "\(folder)/\(rest)"
}

/// Whether the path leads to a file that we may run.
package func isExecutable(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
}
