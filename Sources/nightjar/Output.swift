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

func printOutput(_ text: String) throws(OutputError) { try printOutput(Array(text.utf8)) }

/// - Throws: what kept the bytes from standard output. A reader that has seen enough, as `head` has, is no error.
func printOutput(_ bytes: [UInt8]) throws(OutputError) {
    if !write(bytes, to: STDOUT_FILENO), errno != EPIPE { throw OutputError(code: errno) }
}

/// Prints what only accompanies the work: where it cannot be written, standard error says so, and the work goes on.
func tell(_ text: String) {
    do { try printOutput(text) } catch { printError("nightjar: \(error)\n") }
}

/// What was asked for could not be written, or not all of it.
struct OutputError: Error, CustomStringConvertible {
    let code: Int32

    var description: String {
        "cannot write to standard output: \(String(cString: strerror(code))); what was written is not all there is"
    }
}

func printError(_ text: String) { write(Array(text.utf8), to: STDERR_FILENO) }
