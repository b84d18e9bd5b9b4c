import FoundationEssentials

/// Where other projects' test data lies.
let suites =
    ProcessInfo.processInfo.environment["NIGHTJAR_SUITES"]
    ?? URL(filePath: #filePath).appending(path: "../../../../shared/suites").standardized.path

func suiteData(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: "\(suites)/\(name)")) }

func suiteExists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(suites)/\(name)") }

/// A JSON value of any shape.
enum Shape: Decodable {
    case nothing
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([Shape])
    case table([String: Shape])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .nothing
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([Shape].self) {
            self = .list(list)
        } else {
            // What is left where it is no object is a number that no machine has.
            self = (try? value.decode([String: Shape].self)).map { .table($0) } ?? .number(.infinity)
        }
    }

    var number: Double? { if case .number(let number) = self { number } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var isNothing: Bool { if case .nothing = self { true } else { false } }

    subscript(key: String) -> Shape {
        if case .table(let table) = self { table[key] ?? .nothing } else { .nothing }
    }
    subscript(index: Int) -> Shape {
        if case .list(let list) = self, list.indices.contains(index) { list[index] } else { .nothing }
    }
}
