/// The targets of Package.swift with what they depend on, read from its text: a call that names a target first and
/// its dependencies after it, whichever helper is called.
struct PackageDescription {
    let dependencies: [String: Set<String>]

    init(_ text: String) {
        let list = text.firstRange(of: "targets: [\n").map { text[$0.upperBound...] } ?? text[...]
        var calls: [[String]] = []
        var depth = 0
        var quoted: String?
        for character in list {
            switch (character, quoted) {
            case ("\"", .some(let name)):
                if depth > 0 { calls[calls.count - 1].append(name) }
                quoted = nil
            case ("\"", nil): quoted = ""
            case (_, .some(let name)): quoted = name + String(character)
            case ("(", nil):
                if depth == 0 { calls.append([]) }
                depth += 1
            case (")", nil): depth -= 1
            default: break
            }
        }
        let targets = Set(calls.compactMap(\.first))
        // Every stage has these by the helper that declares it.
        let isStage = Set(Self.names(of: "stage", in: list))
        dependencies = Dictionary(
            calls.filter { !$0.isEmpty }.map { call in
                let implied: Set<String> = isStage.contains(call[0]) ? ["Model", "URLs"] : []
                return (call[0], Set(call.dropFirst()).intersection(targets).union(implied))
            }, uniquingKeysWith: { first, _ in first })
    }

    private static func names(of helper: String, in text: Substring) -> [String] {
        text.split(separator: "\(helper)(\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
    }
}
