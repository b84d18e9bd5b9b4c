/// Where the parts of a serialised URL lie, in bytes.
///
///     scheme://username:password@host:port/path?query#fragment
///           ^schemeEnd |usernameEnd  | |   |    |     ^fragmentStart
///                             hostStart hostEnd |pathStart
///                                               ^queryStart
struct Layout: Sendable {
    var scheme = Scheme.other
    /// Nil when the scheme's own.
    var port: UInt16?
    /// Of the colon.
    var schemeEnd: UInt32 = 0
    /// Equal to `hostStart` without credentials.
    var usernameEnd: UInt32 = 0
    /// Just behind the colon when there is no authority.
    var hostStart: UInt32 = 0
    var hostEnd: UInt32 = 0
    var pathStart: UInt32 = 0
    /// Of the question mark; 0 when there is none.
    var queryStart: UInt32 = 0
    /// Of the number sign; 0 when there is none.
    var fragmentStart: UInt32 = 0

    var hasAuthority: Bool { hostStart > schemeEnd &+ 1 }
    var hasCredentials: Bool { usernameEnd != hostStart }

    func pathEnd(of count: Int) -> Int {
        queryStart != 0 ? Int(queryStart) : queryEnd(of: count)
    }

    func queryEnd(of count: Int) -> Int {
        fragmentStart != 0 ? Int(fragmentStart) : count
    }
}

/// The schemes that the standard calls special, and all others.
enum Scheme: UInt8, Sendable {
    case other, http, https, ftp, file, ws, wss

    init(lowercased name: [UInt8]) {
        self =
            switch name.count {
            case 2 where name == [0x77, 0x73]: .ws
            case 3 where name == [0x77, 0x73, 0x73]: .wss
            case 3 where name == [0x66, 0x74, 0x70]: .ftp
            case 4 where name == [0x68, 0x74, 0x74, 0x70]: .http
            case 4 where name == [0x66, 0x69, 0x6C, 0x65]: .file
            case 5 where name == [0x68, 0x74, 0x74, 0x70, 0x73]: .https
            default: .other
            }
    }

    @inline(__always)
    var isSpecial: Bool { self != .other }

    /// Nil for those that are not special.
    var name: String? {
        switch self {
        case .http: "http"
        case .https: "https"
        case .ftp: "ftp"
        case .file: "file"
        case .ws: "ws"
        case .wss: "wss"
        case .other: nil
        }
    }

    var defaultPort: UInt16? {
        switch self {
        case .http, .ws: 80
        case .https, .wss: 443
        case .ftp: 21
        case .file, .other: nil
        }
    }
}
