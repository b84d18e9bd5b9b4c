import Model
import Testing

@testable import Scheduling

@Suite struct JobQueueTests {
    private func job(_ name: String, needs: [String] = [], priority: Int = 0) -> Job {
        var job = Job(name: name, manifest: "\(name).yaml", manifestSHA256: "")
        job.needs = needs
        job.priority = priority
        return job
    }

    private func name(_ turn: JobQueue.Turn?) -> String {
        switch turn {
        case .run(let job, let needs): needs.isEmpty ? job.name : "\(job.name) by \(needs.joined(separator: ","))"
        case .skip(let job, let need): "\(job.name) without \(need)"
        case nil: "-"
        }
    }

    @Test func needsGoBefore() {
        var queue = JobQueue([job("c", needs: ["a", "b"]), job("a"), job("b", needs: ["a"])])
        #expect(name(queue.next()) == "a")
        #expect(name(queue.next()) == "-")
        queue.ended("a", .succeeded)
        #expect(name(queue.next()) == "b")
        #expect(name(queue.next()) == "-")
        queue.ended("b", .succeeded)
        #expect(name(queue.next()) == "c")
        queue.ended("c", .succeeded)
        #expect(queue.isEmpty)
    }

    @Test func whatFailedIsNotFollowed() {
        var queue = JobQueue([job("a"), job("b", needs: ["a"]), job("c", needs: ["b"]), job("d")])
        #expect(name(queue.next()) == "a")
        #expect(name(queue.next()) == "d")
        queue.ended("a", .failed)
        #expect(name(queue.next()) == "b without a")
        #expect(name(queue.next()) == "-")
        queue.ended("b", .failed)
        #expect(name(queue.next()) == "c without b")
        queue.ended("c", .failed)
        queue.ended("d", .succeeded)
        #expect(queue.isEmpty)
    }

    @Test func whatIsElsewhereIsForOthersToAsk() {
        var queue = JobQueue([job("b", needs: ["a"])])
        #expect(name(queue.next()) == "b by a")
    }

    @Test func prioritiesDecide() {
        var queue = JobQueue([job("a"), job("b", priority: 5), job("c", priority: -1), job("d", priority: 5)])
        var order: [String] = []
        while let turn = queue.next() { order.append(name(turn)) }
        #expect(order == ["b", "d", "a", "c"])
    }

    @Test func neededJobsInheritPriority() {
        var queue = JobQueue([
            job("x", priority: 5), job("deep"), job("mid", needs: ["deep"]), job("top", needs: ["mid"], priority: 9),
        ])
        #expect(name(queue.next()) == "deep")
        #expect(name(queue.next()) == "x")
        queue.ended("deep", .succeeded)
        #expect(name(queue.next()) == "mid")
    }

    @Test func aLongLivedQueueAsksAgain() {
        var queue = JobQueue(forgetsEndings: true)
        queue.add([job("a")])
        queue.add([job("a")])
        #expect(name(queue.next()) == "a")
        queue.add([job("a"), job("b", needs: ["a"])])
        #expect(name(queue.next()) == "-")
        queue.ended("a", .failed)
        #expect(name(queue.next()) == "b by a")
    }

    @Test func longChainsAndManyJobsTakeNoTime() {
        let jobs = (0..<2000).map { job("j\($0)", needs: $0 == 0 ? [] : ["j\($0 - 1)"], priority: $0 == 1999 ? 7 : 0) }
        var queue = JobQueue(jobs)
        #expect(name(queue.next()) == "j0")
        #expect(name(queue.next()) == "-")
    }
}
