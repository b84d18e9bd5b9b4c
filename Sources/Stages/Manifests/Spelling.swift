/// Finds the word that was meant.
enum Spelling {
    /// The closest of the words, when it is close enough to be a slip of the fingers.
    static func suggestion(for word: String, among words: [String]) -> String? {
        let written = Array(word.lowercased().utf8)
        guard written.count <= longest else { return nil }
        var best: (word: String, distance: Int)?
        for candidate in words {
            let letters = Array(candidate.utf8)
            let bound = min(3, max(1, min(written.count, letters.count) / 3))
            guard abs(letters.count - written.count) <= bound else { continue }
            let distance = distance(written, letters)
            if distance <= bound, distance < best?.distance ?? Int.max { best = (candidate, distance) }
        }
        return best?.word
    }

    /// No key is as long; a longer word is not compared, so that time stays bounded.
    private static let longest = 40

    /// Letters put in, taken out, replaced or swapped with their neighbour (optimal string alignment).
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var older: [Int] = []
        var row = Array(0...right.count)
        for i in left.indices {
            var next = [i + 1]
            for j in right.indices {
                var cost = min(row[j] + (left[i] == right[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { cost = min(cost, older[j - 1] + 1) }
                next.append(cost)
            }
            (older, row) = (row, next)
        }
        return row[right.count]
    }
}
