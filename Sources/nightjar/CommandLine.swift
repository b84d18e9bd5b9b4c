import CShims
import Glibc
import Reporting

/// The command line, by getopt_long over the table of flags.
enum CommandLineParser {
    enum Result: Sendable {
        case invocation(Invocation)
        case help(Command?)
        case version
    }

    /// - Throws: ``UsageError``.
    static func parse(_ words: [String], environment: [String: String]) throws -> Result {
        guard let first = words.first else { throw UsageError("a command is missing") }
        if ["--help", "-h", "help"].contains(first) {
            return .help(words.dropFirst().first.flatMap { name in Command.all.first { $0.name == name } })
        }
        if ["--version", "-V"].contains(first) { return .version }
        guard let command = Command.all.first(where: { $0.name == first }) else {
            let near = nearest(first, among: Command.all.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
            throw UsageError("there is no command '\(shown(first))'\(near)")
        }
        let (values, arguments) = try options(of: command, Array(words.dropFirst()))
        if values[.help] != nil { return .help(command) }
        return .invocation(
            Invocation(command: command, arguments: arguments, values: values, environment: environment))
    }

    private static func options(
        of command: Command, _ words: [String]
    ) throws -> (values: [Flag.Name: String], arguments: [String]) {
        let names = command.flags.map { strdup($0.name.rawValue) }
        var arguments = (["nightjar"] + words).map { strdup($0) } + [nil]
        // getopt moves the words in the array, so each is freed by what was allocated.
        let allocated = names + arguments
        defer { allocated.forEach { free($0) } }
        let flags = zip(command.flags, names).map { flag, name in
            nj_flag(
                name: UnsafePointer(name), letter: CChar(flag.short?.asciiValue ?? 0),
                takes_value: flag.value == nil ? 0 : 1)
        }

        var values: [Flag.Name: String] = [:]
        var (restart, rest): (Int32, Int32) = (1, 0)
        while true {
            var value: UnsafePointer<CChar>?
            let code = nj_getopt(
                Int32(words.count + 1), &arguments, flags, Int32(flags.count), &restart, &value, &rest)
            if code == NJ_GETOPT_END { break }
            guard command.flags.indices.contains(Int(code)) else {
                throw error(code, arguments, at: rest, command)
            }
            values[command.flags[Int(code)].name] = value.map { String(cString: $0) } ?? ""
        }
        return (values, arguments[Int(rest)...].compactMap { $0.map { String(cString: $0) } })
    }

    private static func error(
        _ code: Int32, _ arguments: [UnsafeMutablePointer<CChar>?], at rest: Int32, _ command: Command
    ) -> UsageError {
        let index = max(Int(rest) - 1, 0)
        let word = arguments.indices.contains(index) ? arguments[index].map { String(cString: $0) } ?? "" : ""
        if code == NJ_GETOPT_NO_VALUE { return UsageError("\(shown(word)) needs a value") }
        let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
        let near = nearest(name, among: command.flags.map(\.name.rawValue)).map { "; did you mean --\($0)?" } ?? ""
        return UsageError("nightjar \(command.name) has no flag \(shown(word))\(near)")
    }
}

/// The word that was probably meant, if one is near.
private func nearest(_ word: String, among words: [String]) -> String? {
    let near = words.map { (distance(Array(word.utf8.prefix(40)), Array($0.utf8)), $0) }.min { $0.0 < $1.0 }
    return near.flatMap { $0.0 <= max(1, word.utf8.count / 3) ? $0.1 : nil }
}

/// Levenshtein's distance.
private func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var row = Array(0...other.count)
    for (line, byte) in one.enumerated() {
        var diagonal = row[0]
        row[0] = line + 1
        for column in other.indices {
            let substituted = diagonal + (byte == other[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(substituted, row[column] + 1, diagonal + 1)
        }
    }
    return row[other.count]
}
