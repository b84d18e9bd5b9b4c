/// Takes a template's text apart, from left to right, and checks each field as it comes.
enum TemplateParser {
    static func parts(of source: String, fields: TemplateFields) throws(TemplateError) -> [Template.Part] {
        let bytes = Array(source.utf8)
        guard !bytes.isEmpty else { throw TemplateError(offset: 0, message: "the template is empty") }
        var parts: [Template.Part] = []
        var literal: [UInt8] = []
        var place = 0
        while place < bytes.count {
            let byte = bytes[place]
            let isDoubled = place + 1 < bytes.count && bytes[place + 1] == byte
            switch byte {
            case UInt8(ascii: "{") where !isDoubled:
                if !literal.isEmpty { parts.append(.text(String(decoding: literal, as: UTF8.self))) }
                literal = []
                parts.append(try field(bytes, &place, fields: fields))
            case UInt8(ascii: "{"), UInt8(ascii: "}"):
                guard isDoubled else {
                    throw TemplateError(offset: place, message: "a } closes nothing here; write }} for the sign itself")
                }
                literal.append(byte)
                place += 2
            default:
                if let reason = objection(to: byte, at: place, fields: fields) {
                    throw TemplateError(offset: place, message: reason)
                }
                literal.append(byte)
                place += 1
            }
        }
        if !literal.isEmpty { parts.append(.text(String(decoding: literal, as: UTF8.self))) }
        if fields == .start { try StartExpansion.check(parts) }
        return parts
    }

    /// The field whose brace stands at `place`, which then points behind it.
    private static func field(
        _ bytes: [UInt8], _ place: inout Int, fields: TemplateFields
    ) throws(TemplateError) -> Template.Part {
        let start = place + 1
        guard let end = bytes[start...].firstIndex(where: { $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "{") }),
            bytes[end] == UInt8(ascii: "}")
        else {
            throw TemplateError(offset: place, message: "this { is never closed; write {{ for the sign itself")
        }
        let colon = bytes[start..<end].firstIndex(of: UInt8(ascii: ":"))
        let name = String(decoding: bytes[start..<(colon ?? end)], as: UTF8.self)
        let argument = colon.map { String(decoding: bytes[($0 + 1)..<end], as: UTF8.self) }
        guard fields.names.contains(name) else {
            throw TemplateError(offset: start, message: unknown(name, fields: fields))
        }
        if let problem = fields.problem(of: name, argument: argument) {
            let base = colon.map { $0 + 1 } ?? start
            throw TemplateError(offset: base + problem.offset, message: problem.message)
        }
        place = end + 1
        return .field(name: name, argument: argument)
    }

    private static func unknown(_ name: String, fields: TemplateFields) -> String {
        let names = fields.names
        let close = names.map { (name: $0, distance: distance($0, name)) }.min { $0.distance < $1.distance }
        let list = names.map { "{\($0)}" }.joined(separator: " ")
        if let close, close.distance <= max(1, min(name.utf8.count, close.name.utf8.count) / 3) {
            return "there is no field {\(name)}; did you mean {\(close.name)}?"
        }
        return "\(fields.title) has no field {\(name)}; it has \(list)"
    }

    /// Why a byte cannot stand in the template's own text; nil when it can.
    private static func objection(to byte: UInt8, at place: Int, fields: TemplateFields) -> String? {
        if byte < 0x20 || byte == 0x7F { return "a control character cannot stand in \(fields.title)" }
        guard byte == UInt8(ascii: "/") else { return nil }
        switch fields {
        case .name: return place == 0 ? "a file's name starts below the job's folder, not with /" : nil
        case .bundle: return "a bundle's name cannot hold /: bundles lie in the job's folder itself"
        case .start: return nil
        }
    }

    /// How many letters must be put in, taken out, replaced or swapped with their neighbour; names are short.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.utf8.prefix(64))
        let right = Array(right.utf8.prefix(64))
        var older: [Int] = []
        var row = Array(0...right.count)
        for row1 in left.indices {
            var next = [row1 + 1]
            for column in right.indices {
                var best = min(
                    row[column] + (left[row1] == right[column] ? 0 : 1), row[column + 1] + 1, next[column] + 1)
                if row1 > 0, column > 0, left[row1] == right[column - 1], left[row1 - 1] == right[column] {
                    best = min(best, older[column - 1] + 1)
                }
                next.append(best)
            }
            older = row
            row = next
        }
        return row[right.count]
    }
}
