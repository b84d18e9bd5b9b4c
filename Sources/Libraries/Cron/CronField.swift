/// One of the five fields: what its numbers and names are.
struct CronField: Sendable {
    let name: String
    /// The numbers that may be written.
    let range: ClosedRange<Int>
    /// How many values there are before they repeat: in the day of week 7 is 0 again.
    let size: Int
    /// Three letters each, for the values from the least on.
    let names: [String]

    private init(_ name: String, _ range: ClosedRange<Int>, size: Int? = nil, names: [String] = []) {
        self.name = name
        self.range = range
        self.size = size ?? range.count
        self.names = names
    }

    static let minute = CronField("minute", 0...59)
    static let hour = CronField("hour", 0...23)
    static let dayOfMonth = CronField("day of month", 1...31)
    static let month = CronField(
        "month", 1...12,
        names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"])
    /// 0 and 7 are both Sunday.
    static let dayOfWeek = CronField(
        "day of week", 0...7, size: 7, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"])

    /// The values from one to another, both included, as bits.
    /// - Parameter last: less than `first` for a range that goes over the end, such as 22 to 3.
    func bits(from first: Int, to last: Int, step: Int) -> UInt64 {
        let end = last < first ? last + size : last
        var bits: UInt64 = 0
        for value in stride(from: first, through: end, by: step) {
            bits |= 1 << UInt64(range.lowerBound + (value - range.lowerBound) % size)
        }
        return bits
    }
}
