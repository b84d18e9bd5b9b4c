import Model
import Times
import URLs

/// What a body under way is the body of: enough to ask for the rest of exactly this representation, and to judge and
/// name it afterwards, since the answer that brings the rest need not say it again (RFC 9110, 15.3.7).
struct PartOrigin: Sendable, Hashable {
    /// As it was asked for, without user information and fragment.
    var url: WebURL
    /// Who answered.
    var answered: WebURL
    /// The fields of the first answer that later stages look at.
    var headers: HeaderFields
    /// Bytes of the whole representation, if they were announced.
    var total: Int64?
    /// Ranges that are fetched at once.
    var segments = 1

    private static let kept: Set = [
        "content-type", "content-encoding", "content-disposition", "content-language", "etag", "last-modified", "date",
        "repr-digest",
        "digest", "content-md5", "x-goog-hash", "server", "x-amz-request-id", "x-amz-id-2", "x-amz-version-id",
        "x-amz-server-side-encryption", "x-amz-server-side-encryption-customer-algorithm",
        "x-amz-server-side-encryption-aws-kms-key-id",
    ]
    /// More than this of fields is not worth keeping a body for.
    private static let mostBytes = 16 << 10

    init(url: WebURL, answered: WebURL, headers: HeaderFields, total: Int64?) {
        self.url = url
        self.answered = answered
        self.headers = headers
        self.total = total
    }

    /// Nil when the rest of the body could not be asked for safely.
    init?(_ head: ResponseHead, total: Int64?, to request: FetchRequest) {
        guard head.status == 200 else { return nil }
        let units = head.headers.all("accept-ranges").map { String(decoding: $0, as: UTF8.self).lowercased() }
        guard units != ["none"] else { return nil }
        var fields = HeaderFields()
        var size = 0
        for field in head.headers.fields where Self.kept.contains(field.name) {
            fields.append(name: field.name, value: field.value)
            size += field.name.utf8.count + field.value.count
        }
        self.init(
            url: request.url.withoutUserinfo.withoutFragment, answered: head.url, headers: fields, total: total)
        guard size <= Self.mostBytes, validator != nil else { return nil }
    }

    /// What `If-Range` may hold (RFC 9110, 13.1.5): a strong entity tag; without any tag, a date of change that is a
    /// strong validator.
    var validator: String? {
        let tags = headers.all("etag")
        guard tags.isEmpty else { return tags.count == 1 ? strongTag(tags[0]) : nil }
        guard let changed = headers["last-modified"], let sent = headers["date"],
            let changedAt = HTTPDate.parse(changed), let sentAt = HTTPDate.parse(sent)
        else { return nil }
        // RFC 9110, 8.8.2.2: what was sent in the second of its change may have changed again in it. A minute, as RFC
        // 7232 had it, leaves room for two clocks behind one name.
        guard changedAt + 60 <= sentAt, changed.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else { return nil }
        return changed
    }

    /// Whether an answer's fields are those of the same representation, as far as they say.
    func agrees(with headers: HeaderFields) -> Bool {
        // A tag that was there must be there again (RFC 9110, 15.3.7.1); the date of change need not.
        guard headers.all("etag") == self.headers.all("etag") else { return false }
        guard let changed = headers.bytes("last-modified") else { return true }
        return changed == self.headers.bytes("last-modified")
    }

    /// Whether a URL is where the body came from. Its query may differ where a tag identifies the content: what signs
    /// an address for a while stands there.
    func cameFrom(_ url: WebURL) -> Bool {
        if url.href.utf8.elementsEqual(answered.href.utf8) { return true }
        guard headers.bytes("etag") != nil, total != nil else { return false }
        return url.withoutQuery.utf8.elementsEqual(answered.withoutQuery.utf8)
    }
}

/// The tag if it is a strong one (RFC 9110, 8.8.3).
private func strongTag(_ tag: [UInt8]) -> String? {
    let quote = UInt8(ascii: "\"")
    guard tag.count > 2, tag.first == quote, tag.last == quote,
        tag.dropFirst().dropLast().allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != quote })
    else { return nil }
    return String(decoding: tag, as: UTF8.self)
}

extension WebURL {
    var withoutQuery: String {
        String(decoding: withoutUserinfo.withoutFragment.href.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    }
}
