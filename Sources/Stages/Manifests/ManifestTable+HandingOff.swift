import Model
import YAML

extension ManifestTable {
    /// Where bundles go.
    static let handingOff: [ManifestKey] = [
        .entries(
            "handoff", "a list of targets", default: "none", "Where bundles are delivered to when they are written",
            begin: { node, reading in
                reading.draft.handoff = HandoffDraft()
                reading.draft.handoff.position = node.position
            }, end: { _, reading in reading.endHandoff() }),
        .key(
            "handoff[].to", .target, \.handoff.to, default: "",
            "file:///FOLDER, https://HOST/PATH (PUT, WebDAV), sftp://USER@HOST/PATH or s3://BUCKET/PREFIX"),
        .key(
            "handoff[].credentials.user", .userName, \.handoff.credentials.user, default: "none",
            "A user's name, or the id of an S3 key; text or a secret"),
        .key(
            "handoff[].credentials.password", .secret, \.handoff.credentials.password, default: "none",
            "A password, or the secret of an S3 key"),
        .key(
            "handoff[].credentials.bearer", .secret, \.handoff.credentials.bearer, default: "none",
            "A token for http targets"),
        .key(
            "handoff[].credentials.key", .path, \.handoff.credentials.key, default: "the agent's",
            "The private key of an sftp user, ed25519 or ECDSA"),
        .key(
            "handoff[].credentials.passphrase", .secret, \.handoff.credentials.passphrase, default: "none",
            "What that key is encrypted with"),
        .key(
            "handoff[].credentials.session-token", .secret, \.handoff.credentials.sessionToken, default: "none",
            "The token of temporary S3 credentials"),
        .key(
            "handoff[].known-hosts", .path, \.handoff.knownHosts, default: "none",
            "OpenSSH's known_hosts with the server's key; sftp targets need it"),
        .key(
            "handoff[].endpoint", .endpoint, \.handoff.endpoint, default: "Amazon's, by region",
            "The server of an S3-compatible store"),
        .key("handoff[].region", .region, \.handoff.region, default: "us-east-1", "The region of an S3 bucket"),
        .key(
            "handoff[].ca", .path, \.handoff.authorities, default: "the system's only",
            "A PEM file with certificate authorities to trust beside the system's"),
    ]
}
