import TestSupport
import Files
import Glibc
import Model
import Storing
import Testing

@Suite struct ObjectTests {
    @Test(arguments: [1, 20])
    func contentIsStoredOnceReadOnlyAndWithoutExecution(count: Int) async throws {
        try await Trial.with { trial in
            let partial = try await trial.store.folder("partial/job")
            var arrivals = try (0..<count).map { number in
                Arrival(part: try trial.part("\(number)", "content \(number)"), modified: 1_000_000)
            }
            arrivals.append(Arrival(part: try trial.part("again", "content 0"), modified: nil))
            let settlements = await trial.store.settle(arrivals, from: partial)
            #expect(settlements.dropLast().allSatisfy { $0.word == "stored" })
            #expect(settlements.last?.word == "known")
            for number in 0..<count {
                let name = try trial.object("content \(number)")
                #expect(try trial.folder.text(name) == "content \(number)")
                var status = stat()
                #expect(stat("\(trial.folder.path)/\(name)", &status) == 0)
                #expect(status.st_mode & 0o7777 == 0o444)
                #expect(status.st_mtim.tv_sec == 1_000_000)
            }
            #expect(try partial.names().isEmpty)
        }
    }

    @Test func aTruncatedObjectIsReplacedByAGoodDownload() async throws {
        try await Trial.with { trial in
            let partial = try await trial.store.folder("partial/job")
            try trial.folder.write(trial.object("whole content"), "whole")
            let part = try trial.part("1", "whole content")
            #expect(await trial.store.held([StoredContent(sha256: part.sha256, bytes: part.bytes)]).isEmpty)
            _ = await trial.store.settle([Arrival(part: part, modified: nil)], from: partial)
            #expect(try trial.folder.text(trial.object("whole content")) == "whole content")
        }
    }

    /// Another process stored the same content between the look and the rename: its object, to which names may be links
    /// already, stays.
    @Test func contentThatAnotherProcessStoredMeanwhileKeepsItsObject() async throws {
        try await Trial.with { trial in
            let partial = try await trial.store.folder("partial/job")
            let other = try await Store.open("\(trial.folder.path)/root")
            let parts = try ["1", "2", "3", "4"].map { try trial.part($0, "the same") }
            async let one = trial.store.settle(parts[..<2].map { Arrival(part: $0, modified: nil) }, from: partial)
            async let two = other.settle(parts[2...].map { Arrival(part: $0, modified: nil) }, from: partial)
            let words = await (one + two).map(\.word)
            #expect(words.filter { $0 == "stored" }.count == 1, "\(words)")
            #expect(words.filter { $0 == "known" }.count == 3, "\(words)")
            #expect(try partial.names().isEmpty)
        }
    }

    @Test func aPartThatVanishedFailsAloneAndWithAReason() async throws {
        try await Trial.with { trial in
            let partial = try await trial.store.folder("partial/job")
            let lost = try trial.part("lost", "lost")
            let good = try trial.part("good", "good")
            try partial.remove("lost")
            let settlements = await trial.store.settle(
                [Arrival(part: lost, modified: nil), Arrival(part: good, modified: nil)], from: partial)
            #expect(settlements.map(\.word) == ["io", "stored"])
        }
    }
}

extension Settlement {
    fileprivate var word: String {
        switch self {
        case .stored: "stored"
        case .known: "known"
        case .failed(let failure): failure.code.rawValue
        }
    }
}
