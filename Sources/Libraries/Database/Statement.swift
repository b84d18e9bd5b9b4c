import CSQLite
import CShims

/// A prepared statement; finalised exactly once.
final class Statement {
    let handle: OpaquePointer

    private let parameters: Int32

    init(owning handle: OpaquePointer) {
        self.handle = handle
        parameters = sqlite3_bind_parameter_count(handle)
    }

    deinit { sqlite3_finalize(handle) }

    func bind(_ values: [Value]) -> Int32 {
        for (offset, value) in values.enumerated() {
            let index = Int32(offset + 1)
            let code =
                switch value {
                case .null: sqlite3_bind_null(handle, index)
                case .integer(let number): sqlite3_bind_int64(handle, index, number)
                case .real(let number): sqlite3_bind_double(handle, index, number)
                case .text(var text):
                    text.withUTF8 { bytes in
                        bytes.withMemoryRebound(to: CChar.self) { bytes in
                            bytes.isEmpty
                                ? nj_sqlite_bind_text(handle, index, "", 0)
                                : nj_sqlite_bind_text(handle, index, bytes.baseAddress, Int32(clamping: bytes.count))
                        }
                    }
                case .blob(let bytes):
                    bytes.withUnsafeBytes { bytes in
                        bytes.isEmpty
                            ? sqlite3_bind_zeroblob(handle, index, 0)
                            : nj_sqlite_bind_blob(handle, index, bytes.baseAddress, Int32(clamping: bytes.count))
                    }
                }
            if code != SQLITE_OK { return code }
        }
        for index in Int32(clamping: values.count)..<max(parameters, Int32(clamping: values.count)) {
            sqlite3_bind_null(handle, index + 1)
        }
        return SQLITE_OK
    }

    /// Values stay until the next use binds its own.
    func reset() { sqlite3_reset(handle) }
}

/// One row of an answer, valid only while the closure it was given to runs. Columns count from 0.
package struct Row: ~Copyable {
    private let handle: OpaquePointer

    init(_ statement: Statement) { handle = statement.handle }

    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    package func int(_ column: Int32) -> Int { Int(truncatingIfNeeded: integer(column)) }
    package func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    package func text(_ column: Int32) -> String {
        guard let text = sqlite3_column_text(handle, column) else { return "" }
        let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    package func blob(_ column: Int32) -> [UInt8] {
        guard let blob = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: blob, count: Int(sqlite3_column_bytes(handle, column))))
    }

    package func optionalInt(_ column: Int32) -> Int? { isNull(column) ? nil : int(column) }
    package func optionalReal(_ column: Int32) -> Double? { isNull(column) ? nil : real(column) }
    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
    package func optionalBlob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }
}
