import JSON
import TestSupport
import Testing

extension EndToEnd {
    @Suite("nightjar explain", .timeLimit(.minutes(1)))
    struct ExplainTests {
        @Test("url: one line out for each line in, in order")
        func urls() async throws {
            let found = try await explain(
                "url",
                [
                    #"{"input": "HTTP://EX.org:80/a/../b?q#f", "base": null}"#,
                    #"{"input": "x", "base": "https://h.example/d/e"}"#, #"{"input": "x", "base": null}"#,
                    #"{"input": "//good.example#@127.0.0.1/", "base": "https://h.example/"}"#,
                    #"{"input": "http:\\\\a\\b"}"#,
                ])
            #expect(
                found.map { $0["href"]?.text ?? "-" } == [
                    "http://ex.org/b?q#f", "https://h.example/d/x", "-", "https://good.example/#@127.0.0.1/",
                    "http://a/b",
                ])
            #expect(found[2]["failure"] == .boolean(true))
        }

        @Test("A line that is no question gets an error, the others their answers, and the status is 1")
        func badLines() async throws {
            let found = try await explain(
                "url", [#"{"input": "#, "", "[]", #"{"input": 5}"#, "{}", #"{"input": "http://h/"}"#], expecting: 1)
            #expect(found.dropLast().allSatisfy { $0["error"]?.text?.isEmpty == false })
            #expect(found.last?["href"]?.text == "http://h/")
        }

        @Test("links: what is followed, and what is found and not followed with the reason")
        func links() async throws {
            let found = try await explain(
                "links",
                [
                    #"{"html": "<a href=x download>t</a><a href='mailto:a@b'>m</a><img srcset='a 1x, b 2x'>","#
                        + #" "url": "https://h.example/d/", "content_type": "text/html"}"#,
                    #"{"body_base64": "PGEgZGF0YS11cmw9eD4=", "url": "https://h.example/", "attributes": ["data-url"]}"#,
                    #"{"html": "<a href=f:https://o.example/x>", "url": "https://h.example/", "schemes": ["f:"]}"#,
                ])
            let links = found.map { $0["links"]?.elements ?? [] }
            #expect(links[0].map { $0["from"]?.text } == ["a[href]", "a[href]", "img[srcset]", "img[srcset]"])
            #expect(links[0].map { $0["skip"] != nil } == [false, true, false, false])
            #expect(links[0][1]["reason"]?.text?.isEmpty == false)
            #expect(links[1].map { $0["url"]?.text } == ["https://h.example/x"])
            #expect(links[2].map { $0["url"]?.text } == ["https://o.example/x"])
        }

        @Test("robots: the verdict, its rule and the delay")
        func robots() async throws {
            let robots = #""robots": "User-agent: *\nCrawl-delay: 2\nDisallow: /a\nAllow: /a/b", "agent": "Nightjar/1""#
            let found = try await explain(
                "robots", ["/a/x", "/a/b", "/"].map { #"{\#(robots), "url": "https://h.example\#($0)"}"# })
            #expect(found.map { $0["allowed"] } == [.boolean(false), .boolean(true), .boolean(true)])
            #expect(found.map { $0["rule"]?.text } == ["Disallow: /a", "Allow: /a/b", nil])
            #expect(found.allSatisfy { $0["crawl_delay"] == .number("2.000") })
        }

        @Test("schedule: the next times, none for what never comes, and what is wrong")
        func schedules() async throws {
            let found = try await explain(
                "schedule",
                [
                    #"{"expression": "30 2 * * *", "timezone": "Europe/Berlin", "from": "2026-03-28T12:00:00+01:00", "#
                        + #""count": 2}"#,
                    #"{"expression": "@hourly", "timezone": null, "from": "2026-03-28T12:00:00Z"}"#,
                    #"{"expression": "0 0 30 2 *", "from": "2026-03-28T12:00:00Z", "count": 3}"#,
                    #"{"expression": "0 0 0 * * *", "from": "2026-03-28T12:00:00Z"}"#,
                    #"{"expression": "@daily", "timezone": "Mars/Olympus", "count": -1}"#,
                ])
            let times = found.map { $0["next"]?.elements?.compactMap(\.text) }
            #expect(
                times == [
                    ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"], ["2026-03-28T13:00:00Z"], [], nil, nil,
                ])
            #expect(found[3]["failure"]?.text?.contains("seconds") == true)
            #expect(found[4]["failure"]?.text?.contains("Mars") == true)
            let bad = [#"{"expression": "@daily", "from": "soon"}"#, #"{"expression": "@daily", "count": 1.5}"#, "{}"]
            let refused = try await explain("schedule", bad, expecting: 1)
            #expect(refused.allSatisfy { $0["error"] != nil })
            let people = ["explain", "schedule", "15 2 * * *", "Asia/Seoul", "2026-03-28T12:00:00Z", "1"]
            #expect(try await Program.nightjar(people).run().outputText == "2026-03-28T17:15:00Z\n")
        }

        @Test("Without --batch it answers people, and says how to ask")
        func people() async throws {
            let url = try await Program.nightjar(["explain", "url", "x", "https://h.example/d/"]).run()
            #expect(url.ending == .exited(0) && url.outputText.contains("https://h.example/d/x"))
            for words in [
                [], ["nonsense"], ["url"], ["links", "/nowhere", "https://h.example/"], ["robots", "--batch", "x"],
                ["schedule", "61 * * * *"], ["schedule", "@daily", "UTC", "soon"], ["schedule"],
            ] {
                let wrong = try await Program.nightjar(["explain"] + words).run()
                #expect(wrong.ending == .exited(2), "\(words): \(wrong)")
                #expect(wrong.output.isEmpty && !wrong.errors.isEmpty)
            }
        }
    }
}
