import Digests
import Files
import HTTP
import Model

extension Courier {
    /// PUTs to a web server (RFC 9110, 9.3.4; WebDAV makes missing folders), then asks what it has.
    func sendToWeb(_ file: Consignment) throws -> Proof {
        let url = "\(destination.rules.base)/\(encoded(file.name))"
        var put = exchange(url)
        put.body = .file(descriptor: file.file.number, offset: 0, count: file.bytes)
        put.headers = [("Content-Type", "application/octet-stream")]
        var answer = try answer(put, counts: true)
        if answer.status == 409 || answer.status == 404, try makeFolders() {
            answer = try self.answer(put, counts: true)
        }
        guard (200...299).contains(answer.status) else { throw refusal(answer, "PUT") }

        var head = exchange(url)
        head.method = "HEAD"
        head.headers = [("Accept-Encoding", "identity"), ("Want-Repr-Digest", "sha-256=1")]
        let told = try self.answer(head)
        switch told.status {
        case 200: return try proof(told, file)
        case 401, 403, 405, 501: return .accepted
        default: throw refusal(told, "HEAD after PUT")
        }
    }

    private func exchange(_ url: String) -> Exchange {
        var exchange = Exchange(url)
        if let bearer = destination.bearer {
            exchange.login = .bearer(bearer)
        } else if let user = destination.user {
            exchange.login = .basic(user: user, password: destination.password ?? "")
        }
        return exchange
    }

    func answer(_ exchange: Exchange, from start: Int64 = 0, counts: Bool = false) throws -> ExchangeAnswer {
        do { return try run(exchange, from: start, counts: counts) } catch let error as ExchangeError {
            throw delivery(error)
        }
    }

    /// Makes the folders of the target's path that are missing (WebDAV, RFC 4918, 9.3).
    /// - Returns: false when none could be made.
    private func makeFolders() throws -> Bool {
        let base = destination.rules.base
        guard let scheme = base.firstRange(of: "://") else { return false }
        var made = false
        var url = ""
        for (index, part) in base[scheme.upperBound...].split(separator: "/").enumerated() {
            url += index == 0 ? base[..<scheme.upperBound] + part : "/" + part
            guard index > 0 else { continue }
            var make = exchange(url + "/")
            make.method = "MKCOL"
            made = try answer(make).status == 201 || made
        }
        return made
    }

    /// What the answer to a HEAD proves.
    private func proof(_ answer: ExchangeAnswer, _ file: Consignment) throws -> Proof {
        if let length = answer.value("content-length").flatMap({ Int64($0) }), length != file.bytes {
            throw DeliveryError(
                .truncated,
                "\(destination.rules.to): \(file.name) has \(length) bytes there and should have \(file.bytes)",
                mayPass: true)
        }
        let wanted = base64(file.sha256)
        for name in ["repr-digest", "content-digest", "digest"] {
            guard let value = answer.value(name), let told = sha256(in: value) else { continue }
            guard told == wanted else {
                throw DeliveryError(
                    .checksum, "\(destination.rules.to): \(file.name) has another SHA-256 there", mayPass: true)
            }
            return .content
        }
        return answer.value("content-length") == nil ? .accepted : .size
    }

    /// `sha-256=:...:` (RFC 9530) or `SHA-256=...` (RFC 3230).
    private func sha256(in value: String) -> String? {
        for part in value.split(separator: ",") {
            let part = part.drop { $0 == " " }
            guard part.lowercased().hasPrefix("sha-256=") else { continue }
            return part.dropFirst(8).filter { $0 != ":" && $0 != " " }
        }
        return nil
    }

    func refusal(_ answer: ExchangeAnswer, _ what: String) -> DeliveryError {
        let to = destination.rules.to
        switch answer.status {
        case 401, 403:
            return DeliveryError(.login, "\(to) refuses \(what) with status \(answer.status); look at the credentials")
        case 300...399:
            let place = answer.value("location").map { " to \($0.prefix(200))" } ?? ""
            return DeliveryError(.redirectRefused, "\(to) redirects\(place); write where it leads into handoff.to")
        case 507: return DeliveryError(.diskFull, "\(to) has no room left (status 507)")
        default:
            let mayPass = answer.status >= 500 || [408, 425, 429].contains(answer.status)
            return DeliveryError(.httpStatus, "\(to) answers \(what) with status \(answer.status)", mayPass: mayPass)
        }
    }
}

extension HandoffRules {
    /// The target without a slash at its end.
    var base: String {
        var base = to[...]
        while base.hasSuffix("/") { base = base.dropLast() }
        return String(base)
    }
}

/// RFC 4648, 4.
func base64(_ bytes: [UInt8]) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var result: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let value = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
        for place in 0..<4 {
            result.append(
                place > group.count ? UInt8(ascii: "=") : letters[Int(value >> UInt32(18 - 6 * place) & 63)])
        }
    }
    return String(decoding: result, as: UTF8.self)
}
