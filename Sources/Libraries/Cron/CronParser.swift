/// What one field holds.
struct CronFieldValue: Sendable {
    var bits: UInt64 = 0
    /// Begins with `*` or `?`.
    var isStar = false
    /// Holds `*`, a range or a step.
    var isInterval = false
    var days = SpecialDays()
}

/// Days that depend on the month they are in, each a set of bits.
struct SpecialDays: Sendable, Hashable {
    /// Bit n: n days before the month's last.
    var beforeLast: UInt64 = 0
    /// Bit d: the weekday nearest to d.
    var nearWeekday: UInt64 = 0
    /// Bit n: the weekday nearest to n days before the month's last.
    var nearBeforeLast: UInt64 = 0
    /// Bit w: the last w of the month.
    var lastOfWeek: UInt64 = 0
    /// Bit w of entry k - 1: the k-th w of the month.
    var numbered: [UInt64] = [0, 0, 0, 0, 0]

    /// True when the day of week names days by their place in the month.
    var placesWeekdays: Bool { lastOfWeek != 0 || numbered.contains { $0 != 0 } }
}

/// Reads the fields of a cron expression one after the other, byte by byte.
struct CronParser {
    private let bytes: [UInt8]
    private var place = 0

    /// - Throws: for more than five fields, before what is wrong in one of them, as that may be a matter of seconds.
    init(_ bytes: [UInt8]) throws(CronError) {
        self.bytes = bytes
        let fields = bytes.indices.filter { !isBlank(bytes[$0]) && ($0 == 0 || isBlank(bytes[$0 - 1])) }
        guard fields.count <= 5 else {
            throw CronError(
                offset: fields[5],
                message: "more than five fields; they are minute hour day month weekday: seconds and years are not "
                    + "supported")
        }
    }

    /// Reads a field with the blanks before it.
    mutating func field(_ field: CronField) throws(CronError) -> CronFieldValue {
        skipBlanks()
        guard place < bytes.count else {
            throw error("the \(field.name) is missing; five fields are needed: minute hour day month weekday")
        }
        var value = CronFieldValue()
        value.isStar = isNext("*") || isNext("?")
        let start = place
        var count = 0
        repeat {
            try element(field, &value)
            count += 1
        } while take(",")
        if place < bytes.count, !isBlank(bytes[place]) { throw unexpected(field) }
        if count > 1, value.days.nearWeekday | value.days.nearBeforeLast != 0 {
            throw CronError(offset: start, message: "\(field.name): W stands for one day; it takes no list")
        }
        return value
    }

    private mutating func element(_ field: CronField, _ value: inout CronFieldValue) throws(CronError) {
        if take("*") || take("?") {
            value.isInterval = true
            let step = take("/") ? try step(field) : 1
            value.bits |= field.bits(from: field.range.lowerBound, to: field.range.upperBound, step: step)
            return
        }
        if field.name == CronField.dayOfMonth.name, take("l") { return try lastDay(&value) }
        // As in croniter, where W may also stand in front.
        let isNear = field.name == CronField.dayOfMonth.name && take("w")
        let start = place
        let first = try number(field)
        if isNear {
            value.days.nearWeekday |= 1 << UInt64(first)
        } else if field.name == CronField.dayOfMonth.name, take("w") {
            value.days.nearWeekday |= 1 << UInt64(first)
        } else if field.name == CronField.dayOfWeek.name, take("l") {
            value.days.lastOfWeek |= 1 << UInt64(first % 7)
        } else {
            try range(from: first, at: start, field, &value)
        }
    }

    /// What may follow a number: the end of a range, a step, the number of a weekday.
    private mutating func range(
        from first: Int, at start: Int, _ field: CronField, _ value: inout CronFieldValue
    ) throws(CronError) {
        var (first, last, step) = (first, first, 1)
        if take("-") {
            value.isInterval = true
            // As in croniter: from 29 to the month's end.
            last = field.name == CronField.dayOfMonth.name && take("l") ? 31 : try number(field)
            if field.name == CronField.dayOfWeek.name {
                if first == 7 { first = 0 }
                if last == 0 { last = 7 }
            }
        } else if isNext("/") {
            last = field.range.upperBound
        }
        if take("/") {
            value.isInterval = true
            step = try self.step(field)
        }
        let bits = field.bits(from: first, to: last, step: step)
        if field.name == CronField.dayOfWeek.name, take("#") {
            let place = self.place
            guard let number = digits(), (1...5).contains(number) else {
                throw CronError(offset: place, message: "day of week: a month has a weekday 1 to 5 times")
            }
            value.days.numbered[number - 1] |= bits
        } else {
            value.bits |= bits
        }
    }

    /// After an `L` in the day of month.
    private mutating func lastDay(_ value: inout CronFieldValue) throws(CronError) {
        var before = 0
        if take("-") {
            let start = place
            guard let number = digits(), number <= 30 else {
                throw CronError(offset: start, message: "day of month: L- takes days before the last, 0 to 30")
            }
            before = number
        }
        if take("w") {
            value.days.nearBeforeLast |= 1 << UInt64(before)
        } else {
            value.days.beforeLast |= 1 << UInt64(before)
        }
    }

    private mutating func step(_ field: CronField) throws(CronError) -> Int {
        let start = place
        let most = field.range.lowerBound == 0 ? field.range.upperBound : field.range.count
        guard let step = digits(), (1...most).contains(step) else {
            throw CronError(offset: start, message: "\(field.name): a step is a number from 1 to \(most)")
        }
        return step
    }

    /// A number or a name.
    private mutating func number(_ field: CronField) throws(CronError) -> Int {
        let start = place
        if let number = digits() {
            guard field.range.contains(number) else {
                throw CronError(
                    offset: start,
                    message: "\(field.name): a number from \(field.range.lowerBound) to \(field.range.upperBound) is "
                        + "needed")
            }
            return number
        }
        let letters = bytes[place...].prefix(3).map { $0 | 0x20 }
        if let index = field.names.firstIndex(where: { $0.utf8.elementsEqual(letters) }) {
            place += 3
            return field.range.lowerBound + index
        }
        throw unexpected(field)
    }

    /// Digits as a number; what is too long for any field counts as 10,000.
    private mutating func digits() -> Int? {
        let start = place
        var number = 0
        while place < bytes.count, (0x30...0x39).contains(bytes[place]) {
            number = min(number * 10 + Int(bytes[place]) - 0x30, 10_000)
            place += 1
        }
        return place > start ? number : nil
    }

    private func isNext(_ letter: Unicode.Scalar) -> Bool {
        place < bytes.count && lowercase(bytes[place]) == UInt8(ascii: letter)
    }

    private mutating func take(_ letter: Unicode.Scalar) -> Bool {
        guard isNext(letter) else { return false }
        place += 1
        return true
    }

    private mutating func skipBlanks() { while place < bytes.count, isBlank(bytes[place]) { place += 1 } }

    private func unexpected(_ field: CronField) -> CronError {
        if isNext("h") {
            return error("\(field.name): H is Jenkins' own; write a number")
        }
        let forms =
            switch field.name {
            case CronField.dayOfMonth.name: "numbers 1 to 31, *, -, /, L, W"
            case CronField.month.name: "numbers 1 to 12, names jan to dec, *, -, /"
            case CronField.dayOfWeek.name: "numbers 0 to 7, names sun to sat, *, -, /, 5L, 5#2"
            default: "numbers \(field.range.lowerBound) to \(field.range.upperBound), *, -, /"
            }
        let isEnd = place >= bytes.count || isBlank(bytes[place])
        return error(
            "\(field.name): \(isEnd ? "something is missing here" : "this does not belong here"); it takes \(forms)")
    }

    private func error(_ message: String) -> CronError { CronError(offset: place, message: message) }
}

private func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
