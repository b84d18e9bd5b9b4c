import Glibc

extension Directory {
    /// The names in this directory that are no UTF-8, which no String can stand for, with their bytes escaped as `\\xFC`.
    package func foreignNames() throws(SystemError) -> [String] {
        var names: [String] = []
        try eachName { bytes in
            if String(validating: bytes, as: UTF8.self) == nil { names.append(Self.escaped(bytes)) }
        }
        return names
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
