import CCurl
import Times

extension Transfer {
    /// What an HTTP server would have said of a file that FTP or SFTP is about to give, or has given: its length, its
    /// date of change, and a tag of both, by which its rest can be asked for and its change be noticed.
    func fileHead(isComplete: Bool = false) -> HTTPHead {
        let request = order.request
        guard !request.isFolder else {
            return HTTPHead(
                status: 200, version: request.scheme, fields: [Self.field("content-type", "text/ftp-dir")],
                contentLength: nil)
        }
        let first = request.firstByte
        let rest = isComplete ? 0 : handle.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        let total = rest.map { $0 + first }
        var fields: [HTTPField] = []
        if let changed = handle.offset(CURLINFO_FILETIME_T) {
            fields.append(Self.field("last-modified", HTTPDate.format(Double(changed))))
            if let total { fields.append(Self.field("etag", "\"\(total)-\(changed)\"")) }
        }
        guard first > 0 else {
            return HTTPHead(status: 200, version: request.scheme, fields: fields, contentLength: rest)
        }
        if let total {
            let range = isComplete ? "*" : "\(first)-\(total - 1)"
            fields.append(Self.field("content-range", "bytes \(range)/\(total)"))
        }
        return HTTPHead(
            status: isComplete ? 416 : 206, version: request.scheme, fields: fields,
            contentLength: isComplete ? nil : rest)
    }

    /// A head that says why there is no body, when libcurl's result is an answer of the server.
    func refusalHead(_ code: CURLcode) -> HTTPHead? {
        guard order.request.isFile else { return nil }
        let status: Int
        switch code {
        case CURLE_REMOTE_FILE_NOT_FOUND: status = 404
        case CURLE_REMOTE_ACCESS_DENIED: status = 403
        case CURLE_LOGIN_DENIED: status = 401
        // It is shorter than what is there, or its rest cannot be asked for.
        case CURLE_BAD_DOWNLOAD_RESUME, CURLE_FTP_COULDNT_USE_REST: status = 416
        default: return nil
        }
        return HTTPHead(status: status, version: order.request.scheme, fields: [], contentLength: nil)
    }

    private static func field(_ name: String, _ value: String) -> HTTPField {
        HTTPField(name: name, value: Array(value.utf8))
    }
}
