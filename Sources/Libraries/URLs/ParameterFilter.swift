/// Names of query parameters that do not change what a URL gives: `utm_*`, `sessionid`.
package struct ParameterFilter: Sendable {
    private let names: [Glob]

    /// - Parameter names: compared byte for byte with the decoded name; `*` stands for any run of bytes.
    package init(_ names: [String]) { self.names = names.map { Glob(literal: $0) } }

    func names(parameter: Substring) -> Bool {
        if names.isEmpty { return false }
        let name = parameter.utf8.prefix { $0 != UInt8(ascii: "=") }
        let decoded = percentDecoded(Array(name).span)
        return names.contains { $0.matches(decoded) }
    }
}
