import Digests
import Files
import HTTP
import Model

extension Courier {
    /// Files over this many bytes go in parts.
    static let singleBytes: Int64 = 64 << 20

    /// Puts an object into an S3-compatible store: in one go, or in parts of which those that are there already are not
    /// sent again.
    func sendToStore(
        _ file: Consignment, _ progress: inout String?, _ keep: @Sendable (String?) async throws -> Void
    ) async throws -> Proof {
        let url = try objectURL(file.name)
        let tag: String
        if file.bytes <= Self.singleBytes {
            var put = exchange(url, sha256: hex(file.sha256))
            put.body = .file(descriptor: file.file.number, offset: 0, count: file.bytes)
            put.headers.append(("Content-Type", "application/octet-stream"))
            let answer = try self.answer(put, counts: true)
            guard answer.status == 200 else { throw storeRefusal(answer, "PUT") }
            tag = try hex(digests(of: file, offset: 0, count: file.bytes).md5)
        } else {
            let parts = StoreParts(bytes: file.bytes)
            let upload = try await upload(url, progress, keep)
            progress = upload.id
            tag = try send(file, in: parts, upload)
            try await keep(nil)
            progress = nil
        }
        var head = exchange(url, sha256: Self.emptySHA256)
        head.method = "HEAD"
        let told = try answer(head)
        guard told.status == 200 else { throw storeRefusal(told, "HEAD after PUT") }
        guard told.value("content-length").flatMap({ Int64($0) }) == file.bytes else {
            throw DeliveryError(
                .truncated, "\(destination.rules.to): \(file.name) has another size there", mayPass: true)
        }
        // Where the store encrypts with keys of its own the tag is no MD5.
        return told.value("etag")?.filter { $0 != "\"" } == tag ? .content : .size
    }

    private static let emptySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    private func objectURL(_ name: String) throws -> String {
        let rest = destination.rules.base.dropFirst("s3://".count)
        let parts = rest.split(separator: "/", maxSplits: 1).map { decoded(String($0)) }
        guard let bucket = parts.first else {
            throw DeliveryError(.io, "\(destination.rules.to) names no bucket; write s3://BUCKET/PREFIX")
        }
        var server = destination.rules.endpoint ?? "https://s3.\(destination.rules.region).amazonaws.com"
        while server.hasSuffix("/") { server.removeLast() }
        let key = (parts.dropFirst() + [name]).joined(separator: "/")
        return "\(server)/\(encoded(bucket))/\(encoded(key))"
    }

    private func exchange(_ url: String, sha256: String) -> Exchange {
        var exchange = Exchange(url)
        exchange.login = .s3(
            key: destination.user ?? "", secret: destination.password ?? "", region: destination.rules.region)
        exchange.headers = [("x-amz-content-sha256", sha256)]
        if let token = destination.sessionToken { exchange.headers.append(("x-amz-security-token", token)) }
        return exchange
    }

    private struct Upload {
        let id: String
        let url: String
        /// Tags of the parts that are there, by number.
        var tags: [Int: String] = [:]
    }

    /// Goes on with an upload that was begun, or begins one.
    private func upload(
        _ url: String, _ progress: String?, _ keep: @Sendable (String?) async throws -> Void
    ) async throws -> Upload {
        if let id = progress {
            var known = Upload(id: id, url: url)
            if try list(&known) { return known }
        }
        var begin = exchange("\(url)?uploads=", sha256: Self.emptySHA256)
        begin.method = "POST"
        begin.body = .bytes([])
        begin.headers.append(("Content-Type", "application/octet-stream"))
        let answer = try self.answer(begin)
        guard answer.status == 200, let id = elements("UploadId", in: answer.body).first else {
            throw storeRefusal(answer, "the begin of an upload")
        }
        try await keep(id)
        return Upload(id: id, url: url)
    }

    /// Asks which parts are there.
    /// - Returns: false when the store knows of no such upload.
    private func list(_ upload: inout Upload) throws -> Bool {
        var marker = "0"
        while true {
            let query = "part-number-marker=\(marker)&uploadId=\(encoded(upload.id, keepsSlashes: false))"
            let answer = try self.answer(exchange("\(upload.url)?\(query)", sha256: Self.emptySHA256))
            if answer.status == 404 { return false }
            guard answer.status == 200 else { throw storeRefusal(answer, "a question for parts") }
            for part in elements("Part", in: answer.body) {
                let part = Array(part.utf8)
                if let number = elements("PartNumber", in: part).first.flatMap({ Int($0) }),
                    let tag = elements("ETag", in: part).first
                {
                    upload.tags[number] = tag
                }
            }
            guard elements("IsTruncated", in: answer.body).first == "true",
                let next = elements("NextPartNumberMarker", in: answer.body).first, next != marker
            else { return true }
            marker = next
        }
    }

    /// - Returns: the tag that the object is to have.
    private func send(_ file: Consignment, in parts: StoreParts, _ upload: Upload) throws -> String {
        let id = encoded(upload.id, keepsSlashes: false)
        var tags: [String] = []
        var digest = try MessageDigest(.md5)
        for part in parts.parts {
            let (sha256, md5) = try digests(of: file, offset: part.offset, count: part.count)
            try md5.withUnsafeBytes { try digest.update($0) }
            if let tag = upload.tags[part.number], tag.filter({ $0 != "\"" }) == hex(md5) {
                tags.append(tag)
                tell(part.offset + part.count)
                continue
            }
            var put = exchange("\(upload.url)?partNumber=\(part.number)&uploadId=\(id)", sha256: hex(sha256))
            put.body = .file(descriptor: file.file.number, offset: part.offset, count: part.count)
            let answer = try self.answer(put, from: part.offset, counts: true)
            guard answer.status == 200, let tag = answer.value("etag") else { throw storeRefusal(answer, "a part") }
            tags.append(tag)
        }
        var xml = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
        for (index, tag) in tags.enumerated() {
            xml += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(escaped(tag))</ETag></Part>"
        }
        xml += "</CompleteMultipartUpload>"
        var complete = exchange("\(upload.url)?uploadId=\(id)", sha256: hex(try SHA256.digest(of: Array(xml.utf8))))
        complete.method = "POST"
        complete.body = .bytes(Array(xml.utf8))
        let answer = try self.answer(complete)
        // A store that thinks for long has sent its status before it knows.
        guard answer.status == 200, elements("Error", in: answer.body).isEmpty else {
            throw storeRefusal(answer, "the end of an upload")
        }
        return "\(hex(try digest.current()))-\(tags.count)"
    }

    private func digests(
        of file: Consignment, offset: Int64, count: Int64
    ) throws -> (sha256: [UInt8], md5: [UInt8]) {
        try file.file.seek(to: offset)
        var sha256 = try SHA256()
        var md5 = try MessageDigest(.md5)
        var chunk = [UInt8](repeating: 0, count: 256 * 1024)
        var left = count
        while left > 0 {
            try checkCancellation()
            let wanted = Int(min(left, Int64(chunk.count)))
            let read = try chunk.withUnsafeMutableBytes { buffer in
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
                let read = try file.file.read(into: part)
                try sha256.update(UnsafeRawBufferPointer(rebasing: part[..<read]))
                try md5.update(UnsafeRawBufferPointer(rebasing: part[..<read]))
                return read
            }
            guard read > 0 else { throw DeliveryError(.io, "\(file.name) was cut short while it was sent") }
            left -= Int64(read)
        }
        return (try sha256.finish(), try md5.current())
    }

    private func storeRefusal(_ answer: ExchangeAnswer, _ what: String) -> DeliveryError {
        guard let code = elements("Code", in: answer.body).first else { return refusal(answer, what) }
        let message = elements("Message", in: answer.body).first ?? ""
        let mayPass = answer.status >= 500 || answer.status == 200 || ["SlowDown", "RequestTimeout"].contains(code)
        let isLogin = answer.status == 401 || answer.status == 403
        return DeliveryError(
            isLogin ? .login : .httpStatus,
            "\(destination.rules.to) answers \(what) with status \(answer.status), \(code): \(message.prefix(300))",
            mayPass: mayPass)
    }

    private func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}

/// How a large object is cut into parts; stores take 10,000 at most, and none but the last under 5 MiB.
struct StoreParts {
    struct Part: Equatable {
        let number: Int
        let offset: Int64
        let count: Int64
    }
    let bytes: Int64
    let partBytes: Int64

    init(bytes: Int64) {
        self.bytes = bytes
        let mebibyte: Int64 = 1 << 20
        let least = (bytes / 9_000 / mebibyte + 1) * mebibyte
        partBytes = max(least, 32 * mebibyte)
    }

    var parts: [Part] {
        let offsets = stride(from: 0, to: bytes, by: Int(partBytes))
        return offsets.enumerated().map { index, offset in
            Part(number: index + 1, offset: offset, count: min(partBytes, bytes - offset))
        }
    }
}

/// The content of every element of that name in an answer of a store, entities decoded where it is text. These answers
/// are flat lists of a fixed form; a document of any other form gives nothing.
func elements(_ name: String, in xml: [UInt8]) -> [String] {
    let text = String(decoding: xml, as: UTF8.self)
    var found: [String] = []
    var rest = text[...]
    while let start = rest.firstRange(of: "<\(name)>"), let end = rest[start.upperBound...].firstRange(of: "</\(name)>")
    {
        let content = String(rest[start.upperBound..<end.lowerBound])
        found.append(
            content.contains("<")
                ? content
                : content.replacing("&quot;", with: "\"").replacing("&#34;", with: "\"").replacing("&lt;", with: "<")
                    .replacing("&gt;", with: ">").replacing("&amp;", with: "&"))
        rest = rest[end.upperBound...]
    }
    return found
}
