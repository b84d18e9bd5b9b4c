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
