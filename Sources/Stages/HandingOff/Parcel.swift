package import Files
package import Model

/// A bundle on its way, with what goes beside it.
package struct Parcel: Sendable {
    /// The folder where it lies.
    package var folder: Directory
    package var name: String
    package var bytes: Int64
    /// SHA-256: 32 bytes, as the ledger has it.
    package var sha256: [UInt8]
    /// Names of files of the same folder that are sent after it.
    package var companions: [String]

    package init(folder: Directory, name: String, bytes: Int64, sha256: [UInt8], companions: [String]) {
        self.folder = folder
        self.name = name
        self.bytes = bytes
        self.sha256 = sha256
        self.companions = companions
    }
}

/// A target with its secrets filled in.
package struct Destination: Sendable {
    package var rules: HandoffRules
    package var user: String?
    package var password: String?
    package var bearer: String?
    package var keyPassphrase: String?
    package var sessionToken: String?
    /// The proxy that leads there; nil goes direct.
    package var proxy: String?

    package init(_ rules: HandoffRules) { self.rules = rules }
}

/// What is known of a bundle at the target once it is there.
package enum Proof: Int, Sendable, Comparable {
    /// The target took it, and tells nothing of it.
    case accepted
    /// The target tells the right size.
    case size
    /// The target tells the right digest, or it was read back.
    case content

    package static func < (one: Proof, other: Proof) -> Bool { one.rawValue < other.rawValue }
}

/// One file on its way, open.
final class Consignment: Sendable {
    let name: String
    let file: Descriptor
    let bytes: Int64
    let sha256: [UInt8]

    init(name: String, file: consuming Descriptor, bytes: Int64, sha256: [UInt8]) {
        self.name = name
        self.file = file
        self.bytes = bytes
        self.sha256 = sha256
    }
}

/// Why a delivery failed, and whether the same may go well a little later.
struct DeliveryError: Error {
    let failure: Failure
    let mayPass: Bool

    init(_ code: ErrorCode, _ message: String, mayPass: Bool = false) {
        failure = Failure(code, message)
        self.mayPass = mayPass
    }
}
