/// The times that a zip can hold.
package enum ZipTime {
    /// 1980-01-01T00:00:00Z, where the DOS date of a zip begins.
    package static let first: Int64 = 315_532_800
    /// 2106-02-07T06:28:14Z. The DOS date ends with 2107, but the Unix time beside it has 32 bits and would wrap
    /// after this, so that tools would show 1970.
    package static let last: Int64 = 4_294_967_294

    /// The nearest time that a zip can hold, in seconds since 1970.
    package static func clamped(_ seconds: Int64) -> Int64 { min(max(seconds, first), last) }
}

/// The times that a 7z can hold: from 1601 in steps of 100 ns, as far as 63 bits reach.
package enum SevenZipTime {
    /// The nearest time that a 7z can hold, in seconds since 1970.
    package static func clamped(_ seconds: Int64) -> Int64 { min(max(seconds, -11_644_473_600), 910_692_730_085) }
}
