import Glibc
import Fetching
import HTTP
import Model
import Synchronization
import TestSupport
import Testing
import URLs

@Suite struct FetcherTests {
    @Test func writesAnItemIntoAPart() async throws {
        let content = SeededBytes.bytes(700_000, seed: 3)
        try await FaultServer.serving { _ in
            [.send(Response.bytes(content, headers: ["ETag: \"x\""]))]
        } _: { server in
            try await Bench.with { bench in
                let result = await bench.fetch(server.origin + "/a.bin#part")
                let part = try #require(result.part)
                #expect(part.bytes == 700_000)
                #expect(part.prefix == Array(content.prefix(4096)))
                #expect(part.sha256.count == 32)
                #expect(try bench.folder.read(part.name) == content)
                #expect(bench.folder.files().first.map { $0.mode & 0o777 } == 0o600)
                #expect(result.head?.headers["etag"] == "\"x\"")
                #expect(result.head?.url.href == server.origin + "/a.bin")
                #expect(result.received == 700_000)
                #expect(result.attempts == 1)
                #expect(server.requests.first?["accept-encoding"] == "identity")
                #expect(server.requests.first?.target == "/a.bin")
            }
        }
    }

    @Test func readsAPageIntoMemory() async throws {
        try await FaultServer.serving { _ in
            [.send(Response.page([]))]
        } _: { server in
            try await Bench.with { bench in
                let result = await bench.fetch(server.origin, .all(.page))
                #expect(result.body?.isEmpty == false)
                #expect(bench.partNames.isEmpty)
            }
        }
    }

    @Test func emptyItemIsAFileToo() async throws {
        try await FaultServer.serving { _ in
            [.send(Response.bytes([]))]
        } _: { server in
            try await Bench.with { bench in
                let part = try #require(await bench.fetch(server.origin).part)
                #expect(part.bytes == 0)
                #expect(bench.partNames == [part.name])
            }
        }
    }

    @Test func leavesTheUnwantedAfterItsHead() async throws {
        let long = Response.bytes(SeededBytes.bytes(5_000_000, seed: 1))
        try await FaultServer.serving { _ in
            [.send(long)]
        } _: { server in
            try await Bench.with { bench in
                let result = await bench.fetch(server.origin, .all(.unwanted("too dull")))
                guard case .unwanted(let reason) = result.outcome else {
                    Issue.record("\(result.outcome)")
                    return
                }
                #expect(reason == "too dull")
                #expect(result.received < 5_000_000)
            }
        }
    }

    @Test func keepsARefusedBodyForQuarantine() async throws {
        let long = SeededBytes.bytes(3_000_000, seed: 1)
        try await FaultServer.serving { _ in
            [.send(Response.bytes(long))]
        } _: { server in
            try await Bench.with { bench in
                let refusal = Failure(.typeMismatch, "no PDF")
                let result = await bench.fetch(server.origin, .all(.rejected(refusal)))
                guard case .failed(let failure, let refused) = result.outcome else {
                    Issue.record("\(result.outcome)")
                    return
                }
                #expect(failure == refusal)
                #expect(refused?.bytes == 1 << 20)
                #expect(bench.partNames.count == 1)
            }
        }
    }

    @Test(
        arguments: [
            (404, ErrorCode.httpStatus, "404 Not Found"), (403, .httpStatus, "403"), (500, .httpStatus, "500 Internal"),
            (204, .httpStatus, "204 No Content"), (206, .protocolError, "206"), (304, .httpStatus, "304"),
            (300, .httpStatus, "300"), (299, nil, ""), (203, nil, ""), (999, .httpStatus, "999"),
        ] as [(Int, ErrorCode?, String)])
    func onlySuccessIsSuccess(_ status: Int, _ code: ErrorCode?, _ words: String) async throws {
        let answer = Response.bytes(status == 204 || status == 304 ? [] : [1], status: "\(status) Whatever")
        try await FaultServer.serving { _ in
            [.send(answer)]
        } _: { server in
            try await Bench.with { bench in
                let result = await bench.fetch(server.origin)
                #expect(result.failure?.code == code)
                #expect(result.head?.status == status)
                if code != nil { #expect(result.failure?.message.contains("127.0.0.1 answered \(words)") == true) }
                #expect(bench.partNames.isEmpty == (code != nil))
            }
        }
    }

    @Test func asksWithValidators() async throws {
        let handler: FaultServer.Handler = { request in
            [.send(Response.bytes([], status: request["if-none-match"] == "\"a\"" ? "304 Same" : "500 No"))]
        }
        try await FaultServer.serving(handler) { server in
            try await Bench.with { bench in
                let result = await bench.fetch(server.origin) {
                    $0.validators = Validators(etag: "\"a\"", lastModified: "Sun, 09 Sep 2001 01:46:40 GMT")
                }
                guard case .unchanged = result.outcome else {
                    Issue.record("\(result.outcome)")
                    return
                }
                #expect(server.requests.first?["if-modified-since"] == "Sun, 09 Sep 2001 01:46:40 GMT")
            }
        }
    }

    @Test func failedBodiesLeaveNoPart() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n" + String(repeating: "x", count: 600_000)
        for (actions, code) in [
            ([.send(head), .close], ErrorCode.truncated), ([.send(head), .pause(.milliseconds(50)), .reset], .reset),
        ] as [([Action], ErrorCode)] {
            try await FaultServer.serving { _ in
                actions
            } _: { server in
                try await Bench.with { bench in
                    let result = await bench.fetch(server.origin)
                    #expect(result.failure?.code == code)
                    #expect(result.received == 600_000)
                    #expect(bench.partNames.isEmpty)
                }
            }
        }
    }

    @Test func refusesLargeItemsAndPages() async throws {
        try await FaultServer.serving { _ in
            [.send(Response.bytes(.init(repeating: 1, count: 5000)))]
        } _: { server in
            try await Bench.with { bench in
                #expect(await bench.fetch(server.origin, .all(.item, maxItemBytes: 4999)).failure?.code == .tooLarge)
                #expect(await bench.fetch(server.origin, .all(.item, maxItemBytes: 5000)).part != nil)
                var policy = FetchPolicy.all(.page)
                policy.maxPageBytes = 4999
                #expect(await bench.fetch(server.origin, policy).failure?.code == .tooLarge)
            }
        }
    }

    @Test func plantedLinkIsNotFollowed() async throws {
        try await FaultServer.serving { _ in
            [.send(Response.bytes([1]))]
        } _: { server in
            try await Bench.with { bench in
                try bench.folder.write("victim", "precious")
                symlink("victim", bench.folder.path + "/run-1.part")
                #expect(await bench.fetch(server.origin).failure?.code == .io)
                #expect(try bench.folder.text("victim") == "precious")
            }
        }
    }

    @Test func cancellationLeavesNothing() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n" + String(repeating: "x", count: 600_000)
        try await FaultServer.serving { _ in
            [.send(head), .stall]
        } _: { server in
            try await Bench.with { bench in
                let task = Task { await bench.fetch(server.origin) }
                while bench.partNames.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
                task.cancel()
                #expect(await task.value.failure?.code == .cancelled)
                #expect(bench.partNames.isEmpty)
            }
        }
    }

    @Test func boundsRequestsOfOneHost() async throws {
        var rules = FetchRules.quick
        rules.concurrency = 12
        rules.perHost = 3
        try await FaultServer.serving { _ in
            [.pause(.milliseconds(3)), .send(Response.bytes([1]))]
        } _: { server in
            try await Bench.with(rules) { bench in
                try await withThrowingTaskGroup(of: FetchResult.self) { group in
                    for number in 0..<60 {
                        group.addTask { await bench.fetch(server.origin + "/\(number)") }
                    }
                    for try await result in group { #expect(result.part != nil) }
                }
                #expect(server.greatestInFlight <= 3)
                #expect(server.greatestConnections <= 3)
            }
        }
    }
}
