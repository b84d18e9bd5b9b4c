import Times

/// A run id: `YYYYMMDDTHHMMSSZ-xxxxxx`, sortable as text, the last part random.
func makeRunID(at seconds: Double) -> String {
    let time = CivilTime(utc: seconds)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let letters = Array("0123456789abcdefghijklmnopqrstuvwxyz")
    let random = String((0..<6).map { _ in letters[Int.random(in: 0..<letters.count)] })
    let date = "\(time.year)\(two(time.month))\(two(time.day))"
    return "\(date)T\(two(time.hour))\(two(time.minute))\(two(time.second))Z-\(random)"
}

/// When a run began, by its id; nil when it is no run id.
func startTime(ofRun id: String) -> Double? {
    let bytes = Array(id.utf8)
    guard bytes.count == 23, bytes[16] == UInt8(ascii: "-") else { return nil }
    func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    return RFC3339.parse(
        "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))\(part(8..<11)):\(part(11..<13)):\(part(13..<16))")
}
