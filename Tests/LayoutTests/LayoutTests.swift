import TestSupport
import Testing

@Suite("The layout of the repository")
struct LayoutTests {
    private static let repository = Folder(
        #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined())

    private static func sources(of arrow: Arrow) throws -> [(name: String, lines: [Substring])] {
        try repository.files(arrow.folder).filter { $0.name.hasSuffix(".swift") }.map { entry in
            let name = "\(arrow.folder)/\(entry.name)"
            return (name, try repository.text(name).split(separator: "\n", omittingEmptySubsequences: false))
        }
    }

    /// The module of an import declaration, whatever stands before it and whichever part is imported.
    private static func importedModule(_ line: Substring) -> String? {
        var words = line.split(whereSeparator: { $0 == " " || $0 == "." })
        while let first = words.first, first.hasPrefix("@") || ["package", "internal", "private"].contains(first) {
            words.removeFirst()
        }
        guard words.count >= 2, words.removeFirst() == "import" else { return nil }
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        return words.first { !kinds.contains($0) }.map(String.init)
    }

    @Test("Every import has its arrow", arguments: arrows)
    func imports(arrow: Arrow) throws {
        let sources = try Self.sources(of: arrow)
        #expect(!sources.isEmpty, "\(arrow.folder) holds no source")
        for (name, lines) in sources {
            for (number, line) in lines.enumerated() {
                guard let module = Self.importedModule(line), !systemModules.contains(module) else { continue }
                #expect(
                    arrow.imports.contains(module),
                    "\(name):\(number + 1): \(arrow.target) must not import \(module): \(arrow.reason)")
            }
        }
    }

    @Test("Package.swift declares the arrows of the table, no more and no less")
    func declaredDependencies() throws {
        let declared = PackageDescription(try Self.repository.text("Package.swift")).dependencies
        let known = Set(declared.keys)
        for arrow in arrows {
            let dependencies = try #require(declared[arrow.target], "Package.swift has no target \(arrow.target)")
            // Equal, since SwiftPM lets through an import that is not declared.
            #expect(dependencies == arrow.imports.subtracting(["FoundationEssentials"]), "\(arrow.target)")
        }
        let targets = Set(arrows.map(\.target))
        let others = known.subtracting(targets).filter { !cModules.contains($0) && !$0.hasSuffix("Tests") }
        #expect(others == ["TestSupport"], "a target without a line in the table of arrows")
    }

    @Test("No stage knows another, and libraries know no jobs")
    func layers() {
        let stages = Set(arrows.filter { $0.folder.hasPrefix("Sources/Stages/") }.map(\.target))
        let above = stages.union(["Running", "nightjar"])
        for arrow in arrows where stages.contains(arrow.target) || arrow.target == "Model" {
            #expect(arrow.imports.isDisjoint(with: above), "\(arrow.target)")
        }
        for arrow in arrows where arrow.folder.hasPrefix("Sources/Libraries/") {
            #expect(arrow.imports.isDisjoint(with: above.union(["Model"])), "\(arrow.target)")
        }
    }

    @Test("No C library has two doors")
    func cLibraries() {
        for module in cModules where module != "CShims" {
            #expect(arrows.filter { $0.imports.contains(module) }.count <= 1, "\(module)")
        }
    }

    @Test("Nothing in the program can trap by intent, and nothing is public", arguments: arrows)
    func forbiddenWords(arrow: Arrow) throws {
        let forbidden = ["try!", "as!", "fatalError(", "preconditionFailure(", "precondition("]
        for (name, lines) in try Self.sources(of: arrow) {
            // The URL parser, one state machine, is the longest there should be.
            #expect(lines.count <= 450, "\(name) has \(lines.count) lines: is it one idea?")
            for (number, line) in lines.enumerated() {
                let code = line.drop { $0 == " " }
                guard !code.hasPrefix("//") else { continue }
                let published = ["public ", "open class ", "open func ", "open var "].contains { code.hasPrefix($0) }
                #expect(!published, "\(name):\(number + 1): public")
                for word in forbidden where code.contains(word) {
                    Issue.record("\(name):\(number + 1): \(word)")
                }
                guard code.contains("@unchecked Sendable") || code.contains("nonisolated(unsafe)") else { continue }
                let above = lines[max(0, number - 8)..<number].joined(separator: " ")
                #expect(above.contains("safe"), "\(name):\(number + 1): nothing above says why this is safe")
            }
        }
    }

    @Test("swift-format forbids forced unwrapping")
    func formatRules() throws {
        let rules = try Self.repository.text(".swift-format")
        for rule in ["NeverForceUnwrap", "NeverUseForceTry", "NeverUseImplicitlyUnwrappedOptionals"] {
            #expect(rules.contains("\"\(rule)\": true"))
        }
    }

    @Test("The top level holds what the design names, and nothing else")
    func topLevel() {
        let allowed: Set<String> = ["Package.swift", "Sources", "Tests", "jobs", "scripts", "README.md"]
        let names = Self.repository.names.filter { !$0.hasPrefix(".") }
        #expect(Set(names).subtracting(allowed).isEmpty)
    }
}
