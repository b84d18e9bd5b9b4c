import Crawling
import Cron
import Files
import Glibc
import Magic
import Model
import Naming
import Templates
import Times
import URLs

/// Measures parts of the program that are pure computing, on one core: `nightjar-bench urls`, `names`, `schedule`, or
/// `links FILE`; `catalog COUNT` measures wall time. Prints what was done, how often, and how often a CPU second;
/// `scripts/bench` makes its table of it. `pack FOLDER TARGET FORMAT LEVEL THREADS` only packs.
@main
struct Bench {
    static func main() async {
        setlocale(LC_CTYPE, "C.UTF-8")
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch (arguments.first, arguments.dropFirst().first) {
            case ("urls", nil): urls()
            case ("names", nil): try names()
            case ("schedule", nil): try schedule()
            case ("links", let file?): try links(file)
            case ("catalog", let count?): try await catalog(Int(count) ?? 100_000)
            case ("pack", let folder?):
                guard arguments.count == 6, let format = BundleFormat(rawValue: arguments[3]),
                    let level = Int(arguments[4]), let threads = Int(arguments[5])
                else { fail("use: pack FOLDER TARGET FORMAT LEVEL THREADS") }
                try await PackBench.run(folder, below: arguments[2], format, level: level, threads: threads)
            default: fail("use one of: urls, names, schedule, links FILE, catalog COUNT, pack FOLDER ...")
            }
        } catch { fail("\(error)") }
    }

    private static func fail(_ message: String) -> Never {
        let line = "nightjar-bench: \(message)\n"
        write(STDERR_FILENO, line, line.utf8.count)
        exit(2)
    }

    /// Prints seconds of wall time for a run over so many URLs that are new, and for one over the same.
    private static func catalog(_ count: Int) async throws {
        let folder = try TemporaryFolder(below: "/tmp")
        let seconds = try await CatalogBench.run(count, below: folder.path)
        print("catalog", count, seconds.new, seconds.known)
    }

    private static func urls() {
        let inputs = (0..<10_000).map {
            "https://www.example.org/reports/\($0 % 12)/annual-report-\($0).pdf?edition=\($0 % 7)&lang=en"
        }
        measure("urls", inputs.count) {
            for input in inputs where WebURL(input) == nil { fail("\(input) was not read") }
        }
    }

    private static func names() throws {
        var facts: [NameFacts] = []
        for number in 0..<10_000 {
            guard let url = WebURL("https://example.org/get/\(number % 12)/report-\(number).pdf") else { continue }
            var fact = NameFacts(first: url)
            fact.contentType = Array("application/pdf".utf8)
            if number % 3 == 0 { fact.disposition = Array("attachment; filename=\"report \(number).pdf\"".utf8) }
            facts.append(fact)
        }
        let namer = Namer(
            rules: NamingRules(), job: "job", run: "run", runStart: 1_700_000_000, zone: .utc, types: try MIMETypes(),
            sniffer: ContentSniffer())
        measure("names", facts.count) {
            for fact in facts where namer.propose(fact).path.isEmpty { fail("a name was empty") }
        }
    }

    private static func schedule() throws {
        let zone = try Zone(named: "Europe/Berlin")
        let expressions = try ["15 2 * * *", "*/10 8-18 * * mon-fri", "0 3 L * *", "0 0 29 2 *"].map {
            try CronExpression($0)
        }
        measure("schedule", expressions.count * 1000) {
            for expression in expressions {
                var instant = 1_700_000_000.0
                for _ in 0..<1000 {
                    guard let next = expression.next(after: instant, in: zone) else { fail("no next time") }
                    instant = next
                }
            }
        }
    }

    private static func links(_ path: String) throws {
        guard let url = WebURL("https://example.org/list/") else { return }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let folder = try Directory(path.contains("/") ? String(path.dropLast(name.utf8.count)) : ".")
        let content = try folder.open(name).readAll(limit: 1 << 30)
        let extractor = LinkExtractor()
        var found = 0
        measure("links", content.count) {
            found = extractor.links(in: content, url: url, contentType: "text/html").links.count
        }
        if found == 0 { fail("\(path) has no links") }
    }

    /// Repeats `body`, which does `count` things, for two seconds of CPU time.
    private static func measure(_ name: String, _ count: Int, _ body: () -> Void) {
        body()
        let began = cpuSeconds()
        var rounds = 0
        repeat {
            body()
            rounds += 1
        } while cpuSeconds() - began < 2
        let seconds = cpuSeconds() - began
        print(name, count, Double(count * rounds) / seconds)
    }

    private static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
