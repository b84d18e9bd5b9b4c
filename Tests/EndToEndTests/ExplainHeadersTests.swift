import JSON
import TestSupport
import Testing

extension EndToEnd {
    @Suite("nightjar explain headers", .timeLimit(.minutes(1)))
    struct ExplainHeadersTests {
        /// A question, and the whole answer.
        private static let rows: [(String, String)] = [
            (#"{"retry_after": "120"}"#, #"{"retry_after":120}"#),
            (#"{"retry_after": "\t42 "}"#, #"{"retry_after":42}"#),
            (
                #"{"retry_after": "Mon, 3 Jun 2019 12:00:00 UTC", "at": "2019-06-03T11:00:00Z"}"#,
                #"{"retry_after":3600}"#
            ),
            (
                #"{"retry_after": "Monday, 03-Jun-19 11:30:12 GMT", "at": "2019-06-03T11:00:00Z"}"#,
                #"{"retry_after":1812}"#
            ),
            (
                #"{"retry_after": "Mon Jun  3 11:30:12 2019", "at": "2019-06-03T11:00:00Z"}"#,
                #"{"retry_after":1812}"#
            ),
            (
                #"{"retry_after": "Mon, 03 Jun 2019 10:00:00 GMT", "at": "2019-06-03T11:00:00Z"}"#,
                #"{"retry_after":0}"#
            ),
            (#"{"retry_after": "1000000000"}"#, #"{"retry_after":21600}"#),
            (#"{"retry_after": "-1"}"#, #"{"retry_after":null}"#),
            (#"{"retry_after": "1.0"}"#, #"{"retry_after":null}"#),
            (#"{"content_range": "bytes 1-100/200"}"#, #"{"content_range":{"start":1,"end":100,"total":200}}"#),
            (#"{"content_range": "bytes 1-100/*"}"#, #"{"content_range":{"start":1,"end":100,"total":null}}"#),
            (#"{"content_range": "bytes */7"}"#, #"{"content_range":{"start":null,"end":null,"total":7}}"#),
            (#"{"content_range": "bytes 9-1/200"}"#, #"{"content_range":null}"#),
            (#"{"content_range": "pages 1-3/10"}"#, #"{"content_range":null}"#),
            (
                #"{"content_type": "Text/HTML ; Charset=\"UTF-8\"; x=y"}"#,
                #"{"content_type":{"essence":"text/html","parameters":{"charset":"UTF-8","x":"y"}}}"#
            ),
            (#"{"content_type": "nothing"}"#, #"{"content_type":null}"#),
            (
                #"{"link": "<p2>; rel=\"next\", <f>;rel=alternate;type=x"}"#,
                #"{"link":[{"url":"p2","rel":"next"},{"url":"f","rel":"alternate"}]}"#
            ),
            (#"{"date": "Sun, 06 Nov 1994 08:49:37 GMT"}"#, #"{"date":"1994-11-06T08:49:37Z"}"#),
            (#"{"date": "Sun, 31 Feb 1994 08:49:37 GMT"}"#, #"{"date":null}"#),
            (
                #"{"date": "0", "retry_after": "0", "content_range": null}"#,
                #"{"retry_after":0,"date":null}"#
            ),
        ]

        @Test("One answer a line, by the functions that a run reads fields with")
        func batch() async throws {
            try await Folder.temporary { folder in
                try folder.write("questions", Self.rows.map { $0.0 + "\n" }.joined())
                var program = Program.nightjar(["explain", "headers", "--batch"])
                program.inputFile = "\(folder.path)/questions"
                let outcome = try await program.run()
                #expect(outcome.ending == .exited(0), "\(outcome)")
                let answers = outcome.outputText.split(separator: "\n").map(String.init)
                #expect(answers.count == Self.rows.count)
                for (row, answer) in zip(Self.rows, answers) {
                    let isSame =
                        try JSONValue(parsing: Array(answer.utf8)[...]) == JSONValue(parsing: Array(row.1.utf8)[...])
                    #expect(isSame, "\(row.0): \(answer)")
                }
            }
        }

        @Test("For people, and with nothing to explain")
        func people() async throws {
            let known = try await Program.nightjar(["explain", "headers", "Retry-After", "90"]).run()
            #expect(known.outputText.contains("90"))
            let unknown = try await Program.nightjar(["explain", "headers", "X-Other", "90"]).run()
            #expect(unknown.ending == .exited(2))
            #expect(String(decoding: unknown.errors, as: UTF8.self).contains("retry-after"))
        }
    }
}
