import Database
import Model

/// What is chosen in one batch of names.
struct NameChoice {
    let job: Int64
    /// The run in which new content takes over the names of what the same URL brought before; nil keeps those.
    let run: RunNumber?
    /// Folded names that the batch has given.
    var taken: Set<ExactText> = []
    /// The batch's first name for each content.
    var contents: [StoredContent: String] = [:]
    /// Names that the batch took from older content.
    var replaced: Set<ExactText> = []

    init(job: Int64, run: RunNumber?) {
        self.job = job
        self.run = run
    }

    mutating func take(_ name: ChosenName) {
        taken.insert(ExactText(name.folded))
        if name.replaces != nil { replaced.insert(ExactText(name.name)) }
        if name.duplicateOf == nil { contents[name.content] = name.name }
    }
}

extension Catalog {
    func choose(_ wish: NameWish, _ choice: inout NameChoice) throws -> ChosenName {
        if let kept = try keptName(wish, choice) { return kept }
        let candidate = try replacedName(wish, choice) ?? freeName(wish, choice)
        let known = try name(of: wish.content.sha256, choice.job, replacingIn: choice.run).flatMap { name in
            let isLost = candidate.replaces != nil && ExactText(name) == ExactText(candidate.name)
            return isLost || choice.replaced.contains(ExactText(name)) ? nil : name
        }
        let duplicateOf = choice.contents[wish.content] ?? known
        let chosen = ChosenName(
            visit: wish.visit, url: wish.url, content: wish.content, name: candidate.name, folded: candidate.folded,
            number: candidate.number, duplicateOf: duplicateOf, replaces: candidate.replaces)
        choice.take(chosen)
        return chosen
    }

    /// The name that the same URL gave the same content before it brought other content.
    private func keptName(_ wish: NameWish, _ choice: NameChoice) throws -> ChosenName? {
        guard !wish.isFirst, wish.first == 1, wish.marks == 0 else { return nil }
        return try database.first(
            """
            SELECT name, folded FROM names INDEXED BY names_of_url WHERE job = ? AND url = ? AND sha256 = ? LIMIT 1
            """, [.integer(choice.job), .integer(wish.url), .blob(wish.content.sha256)]
        ) { row in
            ChosenName(
                visit: wish.visit, url: wish.url, content: wish.content, name: row.text(0), folded: row.text(1),
                number: 1, duplicateOf: row.text(0), replaces: nil)
        }
    }

    private struct Candidate {
        var name: String
        var folded: String
        var number: Int
        var replaces: StoredContent?
    }

    /// The first alternative that nothing has.
    private func freeName(_ wish: NameWish, _ choice: NameChoice) throws -> Candidate {
        let hint = "\(choice.job)/\(wish.marks)/\(wish.alternative(1).folded)"
        var number = max(wish.first, nameHints[hint].map(Int.init) ?? 1)
        var candidate = try alternative(number, of: wish, choice)
        while try isTaken(candidate.folded, choice) {
            number += 1
            candidate = try alternative(number, of: wish, choice)
        }
        nameHints[hint] = Int64(number + 1)
        return candidate
    }

    /// The name that the URL's older content has, if it is one of those wished.
    private func replacedName(_ wish: NameWish, _ choice: NameChoice) throws -> Candidate? {
        guard choice.run != nil else { return nil }
        let former = try database.rows(
            """
            SELECT name, folded, sha256, bytes FROM names WHERE job = ? AND url = ? ORDER BY run DESC, name LIMIT 10
            """, [.integer(choice.job), .integer(wish.url)]
        ) { row in
            Candidate(
                name: row.text(0), folded: row.text(1), number: 1,
                replaces: StoredContent(sha256: row.blob(2), bytes: row.integer(3)))
        }
        for var candidate in former where !choice.taken.contains(ExactText(candidate.folded)) {
            for number in [1] + numbers(in: candidate.folded) where number >= wish.first {
                let wished = try alternative(number, of: wish, choice)
                guard wished.folded.utf8.elementsEqual(candidate.folded.utf8) else { continue }
                candidate.number = number
                return candidate
            }
        }
        return nil
    }

    /// The numbers behind dashes, one of which may tell which alternative a name is.
    private func numbers(in name: String) -> [Int] {
        name.utf8.split(separator: UInt8(ascii: "-")).dropFirst().suffix(8).compactMap { part in
            Int(String(decoding: part.prefix { $0 >= 0x30 && $0 <= 0x39 }, as: UTF8.self)).flatMap { $0 > 1 ? $0 : nil }
        }
    }

    /// An alternative, with `_` behind each folder whose name a file has: so `/a` and `/a/b` can both be kept.
    private func alternative(_ number: Int, of wish: NameWish, _ choice: NameChoice) throws -> Candidate {
        let (name, folded) = wish.alternative(number)
        guard folded.utf8.contains(UInt8(ascii: "/")) else {
            return Candidate(name: name, folded: folded, number: number)
        }
        var names = name.split(separator: "/").map(String.init)
        var folds = folded.split(separator: "/").map(String.init)
        guard names.count == folds.count, names.count > 1 else {
            return Candidate(name: name, folded: folded, number: number)
        }
        let marks = String(repeating: "_", count: wish.marks)
        names[0] += marks
        folds[0] += marks
        var path = ""
        for index in folds.indices.dropLast() {
            while try isTaken(path + folds[index], choice) {
                names[index] += "_"
                folds[index] += "_"
            }
            path += folds[index] + "/"
        }
        return Candidate(
            name: names.joined(separator: "/"), folded: folds.joined(separator: "/"), number: number)
    }

    private func isTaken(_ folded: String, _ choice: NameChoice) throws -> Bool {
        if choice.taken.contains(ExactText(folded)) { return true }
        return try database.first(
            "SELECT 1 FROM names WHERE job = ? AND folded = ?", [.integer(choice.job), .text(folded)], { _ in true })
            ?? false
    }
}
