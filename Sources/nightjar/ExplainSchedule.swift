import Cron
import Reporting
import Times

extension Explainer {
    /// When a cron expression comes, in a zone, after a time.
    static let schedule = Explainer(
        name: "schedule", arguments: "EXPRESSION [ZONE [FROM [COUNT]]]", counts: 1...4,
        answer: { (question, answer) throws(ExplainError) in
            let expression = try question.required("expression")
            let zone = try question.text("timezone") ?? "UTC"
            let from = try question.text("from").map { text throws(ExplainError) in try time(text) } ?? currentTime()
            let count = try question.integer("count") ?? 1
            answer.object { answer in
                do throws(Failure) {
                    let times = try occurrences(of: expression, in: zone, after: from, count: count)
                    answer.key("next")
                    answer.array { answer in for time in times { answer.value(RFC3339.format(time)) } }
                } catch {
                    answer.field("failure", error.message)
                }
            }
        },
        show: { arguments in
            let zone = arguments.dropFirst().first ?? "UTC"
            let from = try arguments.dropFirst(2).first.map(time) ?? currentTime()
            guard let count = arguments.count > 3 ? Int(arguments[3]) : 5 else {
                throw ExplainError("COUNT is a number, not '\(shown(arguments[3]))'")
            }
            do throws(Failure) {
                let times = try occurrences(of: arguments[0], in: zone, after: from, count: count)
                return times.isEmpty ? "never\n" : times.map { "\(RFC3339.format($0))\n" }.joined()
            } catch {
                throw ExplainError(error.message)
            }
        })
}

/// Why an expression or its zone cannot be understood.
private struct Failure: Error {
    let message: String
}

/// At most 10,000 are given.
private func occurrences(
    of text: String, in name: String, after start: Double, count: Int
) throws(Failure) -> [Double] {
    let expression: CronExpression
    let zone: Zone
    do throws(CronError) { expression = try CronExpression(text) } catch {
        throw Failure(message: "\(error.message) (character \(error.offset + 1))")
    }
    do throws(ZoneError) { zone = try Zone(named: name) } catch { throw Failure(message: error.message) }
    var times: [Double] = []
    var time = start
    while times.count < min(count, 10_000), let next = expression.next(after: time, in: zone) {
        times.append(next)
        time = next
    }
    return times
}

private func time(_ text: String) throws(ExplainError) -> Double {
    guard let time = RFC3339.parse(text) else {
        throw ExplainError("'\(shown(text))' is no time; it is written as 2026-11-30T02:15:00Z")
    }
    return time
}
