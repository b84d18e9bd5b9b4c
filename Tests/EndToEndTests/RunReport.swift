import FoundationEssentials

/// The report as a script of somebody else would read it: by the names of its fields, which are fixed.
struct RunReport: Decodable {
    struct Run: Decodable {
        let id, job, manifest_sha256, started, finished, status: String
        let exit_status: Int
    }
    struct Counts: Decodable, Equatable {
        let pages, links, downloaded, unchanged, duplicate, skipped, failed, gone: Int
    }
    struct Changes: Decodable, Equatable {
        let new, changed, gone: Int
    }
    struct Bytes: Decodable { let received, stored, deduplicated: Int }
    struct Warning: Decodable {
        let code, message: String
        let url: String?
    }
    struct Bundle: Decodable {
        let path, format, sha256: String
        let entries, bytes: Int
    }
    let schema: String
    let run: Run
    let counts: Counts
    let changes: Changes
    let bytes: Bytes
    let failures: [Item]
    let warnings: [Warning]
    let bundles: [Bundle]

    init(json: [UInt8]) throws { self = try JSONDecoder().decode(RunReport.self, from: Data(json)) }
}

/// One line of the items file.
struct Item: Decodable {
    struct Failure: Decodable { let code, message: String }
    let url, status: String
    let final_url, referrer, reason, content_type, name, sha256, duplicate_of, extension_source: String?
    let `extension`: String?
    let http_status, bytes, attempts, resumed_from: Int?
    let redirects: [String]?
    let error: Failure?

    init(json: [UInt8]) throws { self = try JSONDecoder().decode(Item.self, from: Data(json)) }
}
