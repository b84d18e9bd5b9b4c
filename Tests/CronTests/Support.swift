import Cron
import Foundation
import Testing
import Times

private let suites =
    ProcessInfo.processInfo.environment["NIGHTJAR_SUITES"]
    ?? URL(filePath: #filePath).appending(path: "../../../../shared/suites").standardized.path

func hasSuite(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(suites)/\(name)") }

func suite(_ name: String) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: "\(suites)/\(name)")))
}

/// What came of a table: how many rows were held against it, and which of them differ, by reason.
struct Tally {
    private(set) var rows = 0
    private(set) var exceptions: [String: Int] = [:]

    /// - Parameters:
    ///   - reason: why this row may differ; a row without one must not.
    mutating func count(_ isSame: Bool, reason: String?, _ row: @autoclosure () -> String) {
        rows += 1
        if isSame { return }
        if let reason { exceptions[reason, default: 0] += 1 } else { Issue.record("\(row())") }
    }

    /// At most 2 % of the rows differ.
    func check(atLeast: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(rows >= atLeast, sourceLocation: sourceLocation)
        let different = exceptions.values.reduce(0, +)
        #expect(different * 50 <= rows, "\(different) of \(rows): \(exceptions)", sourceLocation: sourceLocation)
    }
}

/// The instant that a zone's clocks show a time at, the first one if they do so twice.
func instant(_ text: String, in zone: Zone) throws -> Double {
    if let instant = RFC3339.parse(text) { return instant }
    let local = try #require(RFC3339.parse(text + "Z"), "\(text)")
    switch zone.instants(of: CivilTime(utc: local)) {
    case .one(let second), .two(let second, _): return Double(second)
    case .none(let second): return Double(second)
    }
}

func shown(_ instant: Double?) -> String { instant.map { RFC3339.format($0) } ?? "never" }

/// The next times after one, in UTC, as `MM-ddTHH:mm` where the year is the first's.
func next(_ expression: String, after text: String, count: Int = 3, zone name: String = "UTC") throws -> [String] {
    let expression = try CronExpression(expression)
    let zone = try Zone(named: name)
    var found: [String] = []
    var time = try instant(text, in: zone)
    for _ in 0..<count {
        guard let next = expression.next(after: time, in: zone) else { break }
        time = next
        found.append(String(RFC3339.format(next).prefix(16)))
    }
    return found
}
