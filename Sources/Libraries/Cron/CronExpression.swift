/// A cron expression of five fields: minute, hour, day of month, month, day of week.
///
/// Each field is a list of `*`, numbers, ranges (`1-5`, also over the end: `22-3`) and steps (`*/15`, `5/15`,
/// `10-40/5`). Months and days of the week have names of three letters; 0 and 7 are Sunday, and a range that begins
/// with Sunday begins with 0, one that ends with it ends with 7: `sun-sun` is the whole week. `?` is `*`. The day of
/// month takes `L` (the last day), `L-3` (three days before it), `15W` (the weekday nearest to it in the month), `LW`
/// and `L-3W`; the day of week takes `5L` (the last Friday) and `5#2` (the second Friday). `@hourly`, `@daily`,
/// `@midnight`, `@weekly`, `@monthly`, `@yearly`, `@annually` and `@every_minute` stand for whole expressions.
///
/// When both day fields are restricted, a day that either names will do, as in Vixie cron, where a field that begins
/// with `*` is not restricted: `0 0 */2 * sat` means Saturdays with an odd date. Vixie cron has no `#` and `L` in the
/// day of week; they choose by the date already, and both fields must hold, as in Cronos and croniter.
package struct CronExpression: Sendable {
    /// As it was written.
    package let text: String
    let minutes: UInt64
    let hours: UInt64
    let months: UInt64
    let days: CronDays
    /// True when minute or hour holds `*`, a range or a step: what runs in intervals does so in every hour that passes,
    /// also in the one that clocks show twice.
    package let isInterval: Bool

    /// - Throws: ``CronError`` with the place of the first character that is wrong.
    package init(_ text: String) throws(CronError) {
        self.text = text
        var parser = try CronParser(try CronMacro.expanded(text))
        let minute = try parser.field(.minute)
        let hour = try parser.field(.hour)
        let dayOfMonth = try parser.field(.dayOfMonth)
        let month = try parser.field(.month)
        let dayOfWeek = try parser.field(.dayOfWeek)
        minutes = minute.bits
        hours = hour.bits
        months = month.bits
        days = CronDays(month: dayOfMonth, week: dayOfWeek)
        isInterval = minute.isInterval || hour.isInterval
    }
}

/// Names for whole expressions.
enum CronMacro {
    static let known = [
        ("hourly", "0 * * * *"), ("daily", "0 0 * * *"), ("midnight", "0 0 * * *"), ("weekly", "0 0 * * 0"),
        ("monthly", "0 0 1 * *"), ("yearly", "0 0 1 1 *"), ("annually", "0 0 1 1 *"), ("every_minute", "* * * * *"),
    ]

    /// The five fields that a text stands for.
    static func expanded(_ text: String) throws(CronError) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard let start = bytes.firstIndex(where: { !isBlank($0) }), bytes[start] == UInt8(ascii: "@") else {
            return bytes
        }
        let end = bytes[start...].firstIndex(where: isBlank) ?? bytes.endIndex
        let name = String(decoding: bytes[(start + 1)..<end], as: UTF8.self).lowercased()
        switch name {
        case "every_second":
            throw CronError(offset: start, message: "seconds are not supported; @every_minute is the shortest")
        case "every":
            throw CronError(offset: start, message: "@every is not supported; write */5 * * * * for every 5 minutes")
        case "reboot":
            throw CronError(
                offset: start, message: "@reboot is no time; start `nightjar run JOB` from the system's own start")
        default: break
        }
        guard let macro = known.first(where: { $0.0 == name }) else {
            let names = known.map { "@\($0.0)" }.joined(separator: ", ")
            throw CronError(offset: start, message: "there is no such name; known are \(names)")
        }
        if let rest = bytes[end...].firstIndex(where: { !isBlank($0) }) {
            throw CronError(offset: rest, message: "nothing may follow @\(name)")
        }
        return Array(macro.1.utf8)
    }
}

/// The blanks of a crontab.
func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
