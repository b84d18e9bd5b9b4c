import CCurl
import CShims
import Glibc

/// What libcurl's callbacks have seen of an exchange. Used on the thread that blocks, and only while it does.
final class ExchangeState {
    private let body: Exchange.Body?
    private let limit: Int
    private var isCancelled: () -> Bool
    private var sent: (Int64) -> Void
    private let observe: ((UnsafeRawBufferPointer) -> Void)?
    private var position: Int64 = 0
    private(set) var answer = ExchangeAnswer()
    /// Set when a callback ended the transfer itself.
    private(set) var failure: ExchangeError?

    init(
        _ exchange: Exchange, _ isCancelled: @escaping () -> Bool, _ sent: @escaping (Int64) -> Void
    ) {
        body = exchange.body
        limit = exchange.limit
        observe = exchange.observe
        self.isCancelled = isCancelled
        self.sent = sent
    }

    /// Lets the caller's functions go.
    func forget() {
        isCancelled = { false }
        sent = { _ in }
    }

    func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let count = body?.read(at: position, into: buffer) else {
            failure = ExchangeError(kind: .io, message: "the file to be sent ended before its end or cannot be read")
            return Int(CURL_READFUNC_ABORT)
        }
        position += Int64(count)
        sent(position)
        return count
    }

    func seek(to offset: Int64) -> Bool {
        guard let body, offset >= 0, offset <= body.count else { return false }
        position = offset
        return true
    }

    func headLine(_ line: UnsafeBufferPointer<UInt8>) {
        var bytes = Array(line)
        while let last = bytes.last, last == 0x0a || last == 0x0d { bytes.removeLast() }
        if bytes.starts(with: "HTTP/".utf8) {
            answer.fields = []
        } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")), answer.fields.count < 500 {
            let name = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
            let value = bytes[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
            answer.fields.append(HTTPField(name: name, value: Array(value)))
        }
    }

    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if let observe {
            observe(bytes)
            return true
        }
        guard answer.body.count + bytes.count <= limit else {
            failure = ExchangeError(kind: .tooLong, message: "the answer has more than \(limit) bytes")
            return false
        }
        answer.body.append(contentsOf: bytes)
        return true
    }

    func goesOn() -> Bool {
        guard isCancelled() else { return true }
        failure = ExchangeError(kind: .cancelled, message: "it was stopped")
        return false
    }
}

extension EasyHandle {
    /// Lets libcurl call back with `state`, which must outlive the transfer.
    func set(_ state: ExchangeState) throws(HTTPError) {
        let context = Unmanaged.passUnretained(state).toOpaque()
        try keepErrors()
        try check(nj_curl_on_read(raw, bodyWanted, bodySought, context))
        try check(nj_curl_on_head(raw, answerHeadArrived, context))
        try check(nj_curl_on_body(raw, answerArrived, context))
        try check(nj_curl_on_progress(raw, timeWentBy, context))
    }

    func set(offset option: CURLoption, _ value: Int64) throws(HTTPError) {
        try check(nj_curl_set_offset(raw, option, value))
    }

    func check(_ code: CURLcode) throws(HTTPError) {
        guard code != CURLE_OK else { return }
        throw HTTPError(.invalidRequest, "libcurl refused an option: \(String(cString: curl_easy_strerror(code)))")
    }
}

// MARK: Callbacks: free functions, since a closure may be isolated to where it was written

private func state(_ context: UnsafeMutableRawPointer) -> ExchangeState {
    Unmanaged<ExchangeState>.fromOpaque(context).takeUnretainedValue()
}

private func bodyWanted(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let buffer, let context else { return Int(CURL_READFUNC_ABORT) }
    return state(context).give(UnsafeMutableRawBufferPointer(start: buffer, count: size &* count))
}

private func bodySought(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
    guard let context, origin == SEEK_SET else { return Int32(CURL_SEEKFUNC_CANTSEEK) }
    return state(context).seek(to: Int64(offset)) ? Int32(CURL_SEEKFUNC_OK) : Int32(CURL_SEEKFUNC_FAIL)
}

private func answerHeadArrived(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let length = size &* count
    bytes.withMemoryRebound(to: UInt8.self, capacity: length) {
        state(context).headLine(UnsafeBufferPointer(start: $0, count: length))
    }
    return length
}

private func answerArrived(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let length = size &* count
    return state(context).take(UnsafeRawBufferPointer(start: bytes, count: length)) ? length : length &+ 1
}

private func timeWentBy(
    _ context: UnsafeMutableRawPointer?, _ toReceive: curl_off_t, _ received: curl_off_t, _ toSend: curl_off_t,
    _ sent: curl_off_t
) -> Int32 {
    guard let context else { return 1 }
    return state(context).goesOn() ? 0 : 1
}

/// libcurl lets an unknown host in unless this is asked; only a match may pass.
func judgeHostKey(
    _ easy: UnsafeMutableRawPointer?, _ known: UnsafePointer<curl_khkey>?, _ found: UnsafePointer<curl_khkey>?,
    _ match: curl_khmatch, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    Int32((match == CURLKHMATCH_OK ? CURLKHSTAT_FINE : CURLKHSTAT_REJECT).rawValue)
}
