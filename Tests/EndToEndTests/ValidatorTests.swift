import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    /// Only who gave a validator can say what it is worth.
    @Suite("Validators and redirects")
    struct ValidatorTests {
        private static let date = "Last-Modified: Sun, 01 Nov 2026 10:00:00 GMT"

        /// A server that finds its page to log in older than the document asked about.
        @Test func whoComesInPlaceOfADocumentDoesNotSayThatItIsUnchanged() async throws {
            let runs = Mutex(0)
            let handler: FaultServer.Handler = { request in
                switch request.path {
                case "/":
                    runs.withLock { $0 += 1 }
                    return [.send(Response.page(["m.pdf"]))]
                case "/m.pdf":
                    return [
                        .send(
                            runs.withLock { $0 } == 1
                                ? Response.pdf("minutes", headers: [Self.date]) : Response.redirect(to: "/login.html"))
                    ]
                default:
                    let isAsked = request["if-modified-since"] != nil || request["if-none-match"] != nil
                    return [.send(isAsked ? Array("HTTP/1.1 304 Not Modified\r\n\r\n".utf8) : Response.page([]))]
                }
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write("job", "start: \(server.origin)/\ndownload: { extensions: [pdf] }")
                    try await sandbox.run("job")
                    try await sandbox.run("job", expecting: 1)
                    #expect(try sandbox.items("job")["m.pdf"]?.error?.code == "type-mismatch")
                }
            }
        }

        /// The address is signed anew each time; the tag says that it is still the same.
        @Test func aSignedAddressIsAskedByItsTag() async throws {
            let count = Mutex(0)
            let handler: FaultServer.Handler = { request in
                switch request.path {
                case "/": return [.send(Response.page(["s.bin"]))]
                case "/s.bin":
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    return [.send(Response.redirect(to: "/blob.bin?signed=\(number)"))]
                default:
                    let isSame = request["if-none-match"] == "\"t\"" && request["if-modified-since"] == nil
                    let same = Array("HTTP/1.1 304 Not Modified\r\nETag: \"t\"\r\n\r\n".utf8)
                    return [.send(isSame ? same : Response.bytes([1, 2, 3], headers: ["ETag: \"t\"", Self.date]))]
                }
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write("job", "start: \(server.origin)/\ndownload: { extensions: [bin] }")
                    try await sandbox.run("job")
                    try await sandbox.run("job")
                    let item = try #require(try sandbox.items("job")["s.bin"])
                    #expect(item.status == "unchanged" && item.http_status == 304)
                }
            }
        }
    }
}
