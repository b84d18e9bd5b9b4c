import Glibc

/// Writes to an open file, whole; false when the reader has gone or the disk is full.
@discardableResult
func write(_ bytes: [UInt8], to number: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
        if count < 0 {
            if errno == EINTR { continue }
            return false
        }
        rest = rest.dropFirst(count)
    }
    return true
}

func printOutput(_ text: String) { write(Array(text.utf8), to: STDOUT_FILENO) }
func printError(_ text: String) { write(Array(text.utf8), to: STDERR_FILENO) }
