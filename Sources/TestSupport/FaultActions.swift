import Glibc

/// A request as a ``FaultServer`` got it.
package struct Request: Sendable {
    package let method: String
    /// Path and query as they were on the wire.
    package let target: String
    /// The whole head as it was on the wire.
    package let head: String
    /// As long as Content-Length says.
    package var body: [UInt8] = []

    package init(method: String, target: String, head: String) {
        self.method = method
        self.target = target
        self.head = head
    }

    package var path: String {
        target.split(separator: "?", omittingEmptySubsequences: false).first.map(String.init) ?? ""
    }

    /// The value of the first field of that name, in any case.
    package subscript(header: String) -> String? {
        for line in head.split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == header.lowercased() else { continue }
            return String(parts[1].drop { $0 == " " })
        }
        return nil
    }
}

/// One thing that a ``FaultServer`` does on a connection.
package enum Action: Sendable {
    case send([UInt8])
    /// Sends `size` bytes at a time, with a pause after each.
    case trickle([UInt8], size: Int, pause: Duration)
    case pause(Duration)
    /// Sends nothing more and keeps the connection until the client leaves or the server stops.
    case stall
    /// Ends the connection in order (FIN).
    case close
    /// Ends the connection with RST.
    case reset

    package static func send(_ text: String) -> Action { .send(Array(text.utf8)) }
}

/// Well-formed responses, to be sent whole or spoilt.
package enum Response {
    package static let notFound = bytes(Array("not found\n".utf8), status: "404 Not Found", type: "text/plain")

    /// - Parameter length: what Content-Length claims; the body's own by default.
    package static func bytes(
        _ body: [UInt8], status: String = "200 OK", type: String = "application/octet-stream",
        headers: [String] = [], length: Int? = nil
    ) -> [UInt8] {
        let lines =
            ["HTTP/1.1 \(status)", "Content-Type: \(type)", "Content-Length: \(length ?? body.count)"] + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    /// A small PDF file that says `text`.
    package static func pdf(_ text: String, headers: [String] = []) -> [UInt8] {
        bytes(Array("%PDF-1.4\n% \(text)\n%%EOF\n".utf8), type: "application/pdf", headers: headers)
    }

    /// The HTML of a page with a link to each target.
    package static func links(_ targets: some Sequence<String>) -> String {
        "<!doctype html><title>t</title>" + targets.map { "<a href=\"\($0)\">\($0)</a>\n" }.joined()
    }

    /// A page with a link to each target.
    package static func page(_ targets: some Sequence<String>) -> [UInt8] {
        bytes(Array(links(targets).utf8), type: "text/html; charset=utf-8")
    }

    package static func redirect(to location: String) -> [UInt8] {
        bytes([], status: "302 Found", type: "text/plain", headers: ["Location: \(location)"])
    }
}

/// One client's connection, used by its thread alone.
struct Connection {
    let socket: Int32
    private var buffer: [UInt8] = []

    init(socket: Int32) { self.socket = socket }

    /// The head of the next request; nil when the client is gone or sends what is none.
    mutating func nextRequest() -> Request? {
        while true {
            if let end = buffer.firstRange(of: [13, 10, 13, 10]) {
                let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                buffer.removeSubrange(..<end.upperBound)
                let words = head.prefix { $0 != "\r\n" }.split(separator: " ")
                guard words.count == 3 else { return nil }
                var request = Request(method: String(words[0]), target: String(words[1]), head: head)
                let length = request["content-length"].flatMap { Int($0) } ?? 0
                while buffer.count < length { guard receive() else { return nil } }
                request.body = Array(buffer.prefix(length))
                buffer.removeFirst(length)
                return request
            }
            guard receive() else { return nil }
        }
    }

    private mutating func receive() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 1 << 14)
        let count = recv(socket, &chunk, chunk.count, 0)
        guard count > 0, buffer.count < 1 << 20 else { return false }
        buffer += chunk[..<count]
        return true
    }

    /// False when the connection is over.
    func perform(_ action: Action) -> Bool {
        switch action {
        case .send(let bytes):
            return send(bytes[...])
        case .trickle(let bytes, let size, let pause):
            for start in stride(from: 0, to: bytes.count, by: size) {
                guard send(bytes[start..<min(start + size, bytes.count)]), wait(pause) else { return false }
            }
            return true
        case .pause(let duration):
            return wait(duration)
        case .stall:
            while wait(.seconds(60)) {}
            return false
        case .close:
            return false
        case .reset:
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
            return false
        }
    }

    private func send(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// True when the time has passed, false as soon as the client is gone or the server stops.
    private func wait(_ duration: Duration) -> Bool {
        let milliseconds = Int32(duration / .milliseconds(1))
        // POLLRDHUP, which Glibc's module lacks: the client has closed.
        let hangUp = Int16(0x2000)
        var request = pollfd(fd: socket, events: hangUp, revents: 0)
        return poll(&request, 1, milliseconds) == 0
    }
}
