import Archives
import Glibc
import TestSupport
import Testing

@Suite("The same entries give the same bytes")
struct ReproducibleTests {
    private let samples = (0..<40).map { number in
        Sample(
            name: "n\(number)",
            content: SeededBytes.bytes(50_000, seed: number % 7) + [UInt8](repeating: 7, count: 50_000))
    }

    @Test(arguments: everyOptions)
    func againLaterInOtherPiecesWithOtherThreads(options: ArchiveOptions) throws {
        let scratch = try Scratch()
        let first = try Archive.write(samples, to: scratch.file("a"), options)
        var other = options
        other.threads = 3
        let second = try Archive.write(samples, to: scratch.file("b"), other, chunk: 33_333)
        #expect(first == second)
        #expect(!first.isEmpty)
    }

    @Test func theHeadOfGzipHoldsNoTime() throws {
        let scratch = try Scratch()
        let bytes = try Archive.write(samples, to: scratch.file("a"), ArchiveOptions(format: .tar, filter: .gzip))
        #expect(bytes[4..<8].allSatisfy { $0 == 0 })
        #expect(bytes[3] & 0b1000 == 0, "no file name")
    }

    @Test func aZipDoesNotTellTheTimeZone() async {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "Asia/Seoul", 1)
            tzset()
            useUTCAsLocalTime()
            let scratch = try Scratch()
            // 2023-11-14T22:13:20Z as DOS has it: time, then date, in little-endian (APPNOTE 4.4.6).
            let bytes = try Archive.write(
                [Sample(name: "a", content: [], modified: 1_700_000_000)], to: scratch.file("a"),
                ArchiveOptions(format: .zip))
            #expect(Array(bytes[10..<14]) == [0xAA, 0xB1, 0x6E, 0x57])
        }
    }

    @Test(arguments: [(ArchiveFilter.gzip, 1, 9), (.zstd, 1, 19), (.xz, 0, 6)])
    func levelsAreTaken(filter: ArchiveFilter, fast: Int, small: Int) throws {
        let scratch = try Scratch()
        let words = ["night", "jar", "nests", "on", "open", "ground", "and", "sleeps", "by", "day"]
        var state: UInt32 = 1
        let text = (0..<5000).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return words[Int(state >> 16) % words.count]
        }
        let sample = Sample(name: "a", content: Array(text.joined(separator: " ").utf8))
        let sizes = try [fast, small].map { level in
            let options = ArchiveOptions(format: .tar, filter: filter, level: level)
            return try Archive.write([sample], to: scratch.file("a"), options).count
        }
        #expect(sizes[0] > sizes[1])
    }
}
