/// One request to a server that is given something: an upload over HTTP or SFTP, or what has to be asked before and
/// after it. Blocks, on a handle of its own; where bodies are many and small, ``HTTPEngine`` is the better way.
///
/// It goes wherever its URL says, private networks included: the URL is the user's own. No redirect is followed, and
/// nothing is read from the environment, `~/.netrc` or `~/.ssh` that is not named here.
package struct Exchange {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// A part of an open file, which stays open for as long.
        case file(descriptor: Int32, offset: Int64, count: Int64)
    }
    package enum Login: Sendable {
        case none
        case basic(user: String, password: String)
        case bearer(String)
        /// AWS Signature Version 4, service `s3`. The header `x-amz-content-sha256` must be set.
        case s3(key: String, secret: String, region: String)
        /// SSH with a password; nil tries the agent.
        case ssh(user: String, password: String?)
        /// SSH with a private key's file.
        case sshKey(user: String, path: String, passphrase: String?)
    }
    /// Absolute, http, https or sftp, without user information, percent-encoded.
    package var url: String
    /// HTTP's; nil takes PUT with a body and GET without one.
    package var method: String?
    package var headers: [(name: String, value: String)] = []
    package var body: Body?
    /// SFTP: goes on behind what the file at the server already has.
    package var resumes = false
    /// Leaves away so many bytes of what the server sends.
    package var offset: Int64 = 0
    /// SFTP commands before and after the transfer, as libcurl's CURLOPT_QUOTE takes them.
    package var before: [String] = []
    package var after: [String] = []
    package var login = Login.none
    /// The path of an OpenSSH `known_hosts`: a host that is not in it is refused.
    package var knownHosts: String?
    /// The path of a PEM file with authorities to trust beside the system's.
    package var authorities: String?
    package var proxy: String?
    package var connectTimeout = Duration.seconds(30)
    /// Longest time without a byte in either direction: a store may think for long about the end of a large upload.
    package var idleTimeout = Duration.seconds(300)
    /// Most bytes of the answer; more is an error.
    package var limit = 1 << 20
    /// Sees the body of the answer instead of its being kept; no bound counts then.
    package var observe: ((UnsafeRawBufferPointer) -> Void)?

    package init(_ url: String) { self.url = url }
}

/// What a server answered.
package struct ExchangeAnswer: Sendable {
    /// 0 for SFTP.
    package var status = 0
    package var fields: [HTTPField] = []
    package var body: [UInt8] = []

    /// The text of the first field of that name.
    /// - Parameter name: in lower case.
    package func value(_ name: String) -> String? {
        fields.first { $0.name == name }.map { String(decoding: $0.value, as: UTF8.self) }
    }
}

/// Why there was no answer, for people; never with a secret in it.
package struct ExchangeError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        case dns, connect, tls, timeout, reset, login, missing, refused, diskFull, io, cancelled, unavailable
        case protocolViolation
        /// The file at the server is shorter than the offset asked for.
        case tooShort
        /// The answer has more bytes than it may.
        case tooLong
    }
    package var kind: Kind
    package var message: String

    package var description: String { message }

    /// The same may go well a little later.
    package var mayPass: Bool {
        switch kind {
        case .dns, .connect, .timeout, .reset, .unavailable: true
        default: false
        }
    }
}
