import CShims
import Glibc

extension Directory {
    /// The names in this directory that are no UTF-8, which no String can stand for, with their bytes escaped as `\\xFC`.
    package func foreignNames() throws(SystemError) -> [String] {
        let copy = try check("open directory", path) { nj_openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
        guard let stream = fdopendir(copy) else {
            defer { Glibc.close(copy) }
            throw .last("read directory", path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw .last("read directory", path) }
                return names
            }
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if String(validating: bytes, as: UTF8.self) == nil { names.append(Self.escaped(bytes)) }
        }
    }

    private static func escaped(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in
            if byte < 0x80 {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "\\x" + String(byte, radix: 16, uppercase: true)
            }
        }
    }

    /// - Throws: what keeps this process from writing here: EROFS, EACCES.
    package func checkIsWritable() throws(SystemError) {
        if faccessat(number, ".", W_OK, 0) != 0 { throw .last("write below", path) }
    }
}
