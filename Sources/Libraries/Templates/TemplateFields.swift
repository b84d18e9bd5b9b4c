package import Times

/// Which fields a template may hold: those of file names, bundle names or start URLs.
///
/// | field | name | bundle | start | argument |
/// | --- | --- | --- | --- | --- |
/// | `date` | of the run | of the run | of the run | a `DatePattern`; `yyyyMMddHHmmss` without one. In a start URL it may end in an offset in days or hours: `-1d`, `+12h` |
/// | `modified`, `item-date` | the resource's, the download's | | | a `DatePattern`, as above |
/// | `stem`, `ext`, `host`, `path`, `query`, `text`, `url-id` | yes | `ext` | | none |
/// | `job`, `run` | yes | yes | | none |
/// | `pack` | | the pack's id | | none |
/// | `seq` | yes | | | zeros that give its least width: `0000` |
/// | `sha256` | yes | | | its first digits, 1 to 64 |
/// | `n` | | | a range | `1..20`, `01..20` padded; without one it repeats the range before it |
package enum TemplateFields: Sendable {
    case name, bundle, start

    /// The fields that such a template may hold, in the order of the documentation.
    package var names: [String] {
        switch self {
        case .name:
            [
                "date", "modified", "item-date", "stem", "ext", "host", "path", "query", "text", "url-id", "job", "run",
                "seq", "sha256",
            ]
        case .bundle: ["date", "ext", "job", "run", "pack"]
        case .start: ["date", "n"]
        }
    }

    var title: String {
        switch self {
        case .name: "a file name"
        case .bundle: "a bundle's name"
        case .start: "a start URL"
        }
    }

    /// What is wrong with a field's argument, and where in it; nil when it is right.
    func problem(of field: String, argument: String?) -> TemplateError? {
        switch field {
        case "date", "modified", "item-date": return dateProblem(argument)
        case "seq":
            guard let argument, !(argument.utf8.allSatisfy { $0 == UInt8(ascii: "0") } && isShort(argument, 9)) else {
                return nil
            }
            return TemplateError(offset: 0, message: "seq takes one to nine zeros for its width, such as {seq:0000}")
        case "sha256":
            guard let argument, !(Int(argument).map { (1...64).contains($0) } ?? false) else { return nil }
            return TemplateError(
                offset: 0, message: "sha256 takes how many of its digits, 1 to 64, such as {sha256:12}")
        case "n":
            guard let argument else { return nil }
            return NumberRange(argument) == nil
                ? TemplateError(offset: 0, message: "n takes a range from low to high, such as {n:1..20} or {n:01..20}")
                : nil
        default:
            guard argument != nil else { return nil }
            return TemplateError(offset: 0, message: "{\(field)} takes nothing after a colon")
        }
    }

    private func dateProblem(_ argument: String?) -> TemplateError? {
        guard let argument else { return nil }
        guard !argument.isEmpty else {
            return TemplateError(offset: 0, message: "a date needs a pattern, such as {date:yyyyMMdd}")
        }
        let pattern = self == .start ? DateField(argument).pattern : argument
        do throws(DatePatternError) {
            _ = try DatePattern(pattern)
            return nil
        } catch {
            return TemplateError(offset: error.offset, message: error.message)
        }
    }

    private func isShort(_ argument: String, _ most: Int) -> Bool { (1...most).contains(argument.utf8.count) }
}

extension Template {
    /// A date field's text for an instant in seconds since 1970.
    /// - Parameter argument: the field's argument as a part holds it.
    package static func stamp(_ argument: String?, at seconds: Double, in zone: Zone) -> String {
        let pattern = try? DatePattern(argument ?? "yyyyMMddHHmmss")
        return pattern?.format(seconds, in: zone) ?? ""
    }
}
