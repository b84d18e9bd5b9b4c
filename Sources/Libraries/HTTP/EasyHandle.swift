import CCurl
import CShims
import Glibc

/// One libcurl transfer handle with the memory that libcurl keeps pointers to. Used on the engine's thread only.
final class EasyHandle {
    let raw: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    private var lists: [UnsafeMutablePointer<curl_slist>] = []

    init?() {
        guard let raw = curl_easy_init() else { return nil }
        self.raw = raw
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(raw)
        errorText.deallocate()
        freeLists()
    }

    /// libcurl's words for the last failure; may be empty.
    var lastError: String { String(cString: errorText) }

    func set(_ option: CURLoption, _ value: Int) throws(HTTPError) {
        try check(nj_curl_set_long(raw, option, value), option)
    }

    func set(_ option: CURLoption, offset: Int64) throws(HTTPError) {
        try check(nj_curl_set_offset(raw, option, offset), option)
    }

    /// For options whose text libcurl copies.
    func set(_ option: CURLoption, _ value: String) throws(HTTPError) {
        try check(nj_curl_set_string(raw, option, value), option)
    }

    /// The same for bytes that may be no text.
    func set(_ option: CURLoption, bytes: [UInt8]) throws(HTTPError) {
        let code = (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
            nj_curl_set_string(raw, option, $0.baseAddress)
        }
        try check(code, option)
    }

    func set(_ option: CURLoption, _ lines: [String]) throws(HTTPError) {
        guard !lines.isEmpty else { return }
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                throw HTTPError(.unavailable, "no memory left for a request")
            }
            list = longer
        }
        if let list { lists.append(list) }
        try check(nj_curl_set_list(raw, option, list), option)
    }

    /// Lets libcurl call back with `context`, which must outlive the transfer.
    func setCallbacks(_ context: UnsafeMutableRawPointer) throws(HTTPError) {
        try keepErrors()
        try check(nj_curl_on_head(raw, headArrived, context), CURLOPT_HEADERFUNCTION)
        try check(nj_curl_on_body(raw, bodyArrived, context), CURLOPT_WRITEFUNCTION)
        try check(nj_curl_on_socket(raw, socketWanted, context), CURLOPT_OPENSOCKETFUNCTION)
        try check(nj_curl_on_request(raw, requestDue, context), CURLOPT_PREREQFUNCTION)
    }

    /// Lets ``lastError`` tell libcurl's words.
    func keepErrors() throws(HTTPError) { try check(nj_curl_set_error_buffer(raw, errorText), CURLOPT_ERRORBUFFER) }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return nj_curl_get_long(raw, info, &value) == CURLE_OK ? value : 0
    }

    /// Nil when libcurl does not know it.
    func offset(_ info: CURLINFO) -> Int64? {
        var value: curl_off_t = -1
        guard nj_curl_get_offset(raw, info, &value) == CURLE_OK, value >= 0 else { return nil }
        return Int64(value)
    }

    private func check(_ code: CURLcode, _ option: CURLoption) throws(HTTPError) {
        guard code != CURLE_OK else { return }
        let reason = String(cString: curl_easy_strerror(code))
        throw HTTPError(.invalidRequest, "libcurl refused option \(option.rawValue): \(reason)")
    }

    private func freeLists() {
        for list in lists { curl_slist_free_all(list) }
        lists = []
    }
}
