import Files
import Lanes
import Manifests
import Model
import Processes
import Reporting

/// Tells of one run whom its manifest names. What cannot be told is a warning: no notifier makes a run fail.
struct Notifier: Sendable {
    let job: Job
    let network: Network
    let environment: [String: String]
    let interruption: Interruption

    /// Whoever wants the program to end does not want to wait for a server that is down.
    private static let patience = Duration.seconds(10)

    /// Asks the health checks' start addresses, beside the run.
    /// - Returns: the warnings; nil when there is nothing to do.
    func begin() -> Task<[RunWarning], Never>? {
        let pings = job.notify.filter { if case .ping = $0.means { return true } else { return false } }
        guard !pings.isEmpty else { return nil }
        return Task {
            var warnings: [RunWarning] = []
            for rules in pings {
                guard case .ping(let address) = rules.means else { continue }
                await note("ping", &warnings) { try await web.ask(address, below: "/start", rules.timeout) }
            }
            return warnings
        }
    }

    /// Tells of the end.
    /// - Parameter before: how the run before ended; nil when there was none.
    func tell(_ notice: Notice, before: RunStatus?) async -> [RunWarning] {
        var warnings: [RunWarning] = []
        let counts = notice.tally.counts
        let hasChanged =
            counts.downloaded + counts.duplicate + counts.gone > 0 || before.map { $0 != notice.end.status } ?? false
        for var rules in job.notify {
            if interruption.reason != nil { rules.timeout = min(rules.timeout, Self.patience) }
            switch rules.means {
            case .ping(let address):
                let below = notice.hasSucceeded ? "" : "/fail"
                await note("ping", &warnings) { try await web.ask(address, below: below, rules.timeout) }
            case _ where !rules.occasion.isGiven(hasFailed: !notice.hasSucceeded, hasChanged: hasChanged): continue
            case .post(let address):
                await note("post", &warnings) { try await web.post(notice.json, to: address, rules.timeout) }
            case .command(let words):
                await note("command \(words[0])", &warnings) {
                    var variables = environment
                    for (name, value) in notice.variables { variables[name] = value }
                    var program = ChildProgram(
                        words[0], Array(words.dropFirst()), environment: variables, timeout: rules.timeout)
                    program.input = Array("\(notice.report)\n".utf8)
                    try await run(program)
                }
            case .mail(let addresses):
                await note("mail", &warnings) {
                    var program = ChildProgram(
                        sendmail, ["-i", "-t"], environment: environment, timeout: rules.timeout)
                    program.input = notice.mail(to: addresses)
                    try await run(program)
                }
            }
        }
        return warnings
    }

    private var web: WebNotice {
        WebNotice(job: job, network: network, environment: environment, interruption: interruption)
    }

    private func note(_ what: String, _ warnings: inout [RunWarning], _ body: () async throws -> Void) async {
        do { try await body() } catch {
            warnings.append(RunWarning(code: "notify-failed", message: "notify by \(what): \(error)"))
        }
    }

    private func run(_ program: ChildProgram) async throws {
        let outcome = try await Lane("notify").run { try program.run() }
        let said = String(decoding: outcome.output.prefix(300), as: UTF8.self)
        let words = said.isEmpty ? "" : "; it said: \(said)"
        switch outcome.ending {
        case .exited(0): return
        case .exited(let status): throw NoticeError("\(program.path) ended with status \(status)\(words)")
        case .killed(let signal): throw NoticeError("\(program.path) was killed by signal \(signal)\(words)")
        case .timedOut:
            throw NoticeError(
                "\(program.path) was killed after \(shown(seconds: program.timeout / .seconds(1)))\(words)")
        }
    }

    /// Where the system's mailer is: in PATH, else where Debian and others put it.
    private var sendmail: String {
        let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/lib"]
        return folders.filter { $0.hasPrefix("/") }.map { "\($0)/sendmail" }.first(where: isExecutable)
            ?? "/usr/sbin/sendmail"
    }
}

/// Why somebody could not be told; never holds an address that may be a secret.
struct NoticeError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension NoticeOccasion {
    fileprivate func isGiven(hasFailed: Bool, hasChanged: Bool) -> Bool {
        switch self {
        case .failure: hasFailed
        case .always: true
        case .change: hasChanged
        }
    }
}
