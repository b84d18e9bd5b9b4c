import JSON
package import Model

extension JSONValue {
    func string(_ name: String) -> String? { self[name]?.text }

    func integer(_ name: String) -> Int64? {
        guard case .number(let text)? = self[name] else { return nil }
        guard let number = Int64(text) ?? Double(text).flatMap({ Int64(exactly: $0.rounded()) }) else { return nil }
        return min(max(number, -Self.largest), Self.largest)
    }

    /// What no run reaches, and what many of add up without a trap: 4 PiB.
    private static var largest: Int64 { 1 << 52 }

    func count(_ name: String) -> Int { integer(name).flatMap { Int(exactly: $0) } ?? 0 }

    func real(_ name: String) -> Double? {
        guard case .number(let text)? = self[name] else { return nil }
        return Double(text)
    }
}

extension RunReport.Run {
    init(_ json: JSONValue) throws {
        guard let id = json.string("id"), let job = json.string("job"),
            let status = json.string("status").flatMap(RunStatus.init)
        else { throw ReportError.Reason(text: "'run' lacks id, job or status") }
        self.id = id
        self.job = job
        self.status = status
        manifestSHA256 = json.string("manifest_sha256") ?? ""
        started = json.string("started") ?? ""
        finished = json.string("finished") ?? ""
        exitStatus = Int32(truncatingIfNeeded: json.count("exit_status"))
    }
}

extension RunCounts {
    package init(json: String) {
        self.init((try? JSONValue(parsing: Array(json.utf8))) ?? .null)
    }

    init(_ json: JSONValue) {
        self.init()
        pages = json.count("pages")
        links = json.count("links")
        downloaded = json.count("downloaded")
        unchanged = json.count("unchanged")
        duplicate = json.count("duplicate")
        skipped = json.count("skipped")
        failed = json.count("failed")
        gone = json.count("gone")
    }
}

extension RunBytes {
    init(_ json: JSONValue) {
        self.init()
        received = json.integer("received") ?? 0
        stored = json.integer("stored") ?? 0
        deduplicated = json.integer("deduplicated") ?? 0
    }
}

extension RunChanges {
    init(_ json: JSONValue) {
        self.init()
        new = json.count("new")
        changed = json.count("changed")
        gone = json.count("gone")
    }
}

extension RunWarning {
    init?(_ json: JSONValue) {
        guard let code = json.string("code") else { return nil }
        self.init(code: code, message: json.string("message") ?? "", url: json.string("url"))
    }
}

extension BundleRecord {
    init?(_ json: JSONValue) {
        guard let path = json.string("path"), let format = json.string("format").flatMap(BundleFormat.init) else {
            return nil
        }
        self.init(
            path: path, format: format, entries: json.count("entries"), bytes: json.integer("bytes") ?? 0,
            sha256: json.string("sha256") ?? "")
        handoffs = json["handoffs"]?.elements?.compactMap(HandoffRecord.init) ?? []
    }
}

extension HandoffRecord {
    init?(_ json: JSONValue) {
        guard let to = json.string("to"), let status = json.string("status").flatMap(Status.init) else { return nil }
        self.init(to: to, status: status, time: json.string("time"))
        if let error = json["error"], let code = error.string("code").flatMap(ErrorCode.init) {
            self.error = Failure(code, error.string("message") ?? "")
        }
    }
}

extension ItemRecord {
    /// - Returns: nil for what lacks a URL or a status.
    init?(_ json: JSONValue) {
        guard let url = json.string("url"), let status = json.string("status").flatMap(ItemStatus.init) else {
            return nil
        }
        self.init(url: url, status: status)
        finalURL = json.string("final_url")
        referrer = json.string("referrer")
        reason = json.string("reason")
        httpStatus = json.integer("http_status").flatMap { Int(exactly: $0) }
        contentType = json.string("content_type")
        name = json.string("name")
        `extension` = json.string("extension")
        extensionSource = json.string("extension_source").flatMap(ExtensionSource.init)
        bytes = json.integer("bytes")
        sha256 = json.string("sha256")
        duplicateOf = json.string("duplicate_of")
        change = json.string("change").flatMap(ItemChange.init)
        stale = json["stale"] == .boolean(true)
        redirects = json["redirects"]?.elements?.compactMap(\.text) ?? []
        attempts = json.count("attempts")
        resumedFrom = json.integer("resumed_from")
        started = json.string("started")
        seconds = json.real("seconds")
        if let error = json["error"], let code = error.string("code").flatMap(ErrorCode.init) {
            self.error = Failure(code, error.string("message") ?? "")
        }
    }
}
