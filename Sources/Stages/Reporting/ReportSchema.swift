import Model

/// The JSON Schema (2020-12) of a run report; its `$defs/item` is that of a line of the items file.
package func reportSchema() -> [UInt8] {
    var json = JSONText()
    json.object { json in
        json.field("$schema", "https://json-schema.org/draft/2020-12/schema")
        json.field("$id", "urn:nightjar:run-report:1")
        json.field("title", "A run report of Nightjar; each line of the items file is by $defs/item")
        json.record([
            ("schema", .constant("nightjar.run-report/1")), ("run", .reference("run")),
            ("counts", .reference("counts")),
            ("bytes", .reference("bytes")), ("changes", .reference("changes")), ("failures", .list("item")),
            ("warnings", .list("warning")), ("bundles", .list("bundle")),
        ])
        json.key("$defs")
        json.object { json in
            for (name, fields) in definitions { json.definition(name, fields) }
        }
    }
    json.endDocument()
    return json.bytes
}

private indirect enum Kind: Sendable {
    case text, count, number, flag, time, digest
    case constant(String)
    case word([String])
    case reference(StaticString)
    case list(StaticString)
    case texts
    case optional(Kind)
}

private let definitions: [(StaticString, [(StaticString, Kind)])] = [
    (
        "run",
        [
            ("id", .text), ("job", .text), ("manifest_sha256", .text), ("started", .time), ("finished", .time),
            ("status", .word(RunStatus.allCases.map(\.rawValue))), ("exit_status", .count),
        ]
    ),
    (
        "counts",
        ["pages", "links", "downloaded", "unchanged", "duplicate", "skipped", "failed", "gone"].map { ($0, .count) }
    ),
    ("bytes", ["received", "stored", "deduplicated"].map { ($0, .count) }),
    ("changes", ["new", "changed", "gone"].map { ($0, .count) }),
    ("warning", [("code", .text), ("message", .text), ("url", .optional(.text))]),
    ("error", [("code", .word(ErrorCode.allCases.map(\.rawValue))), ("message", .text)]),
    (
        "handoff",
        [
            ("to", .text), ("status", .word(["delivered", "pending", "failed", "held"])), ("time", .optional(.time)),
            ("error", .optional(.reference("error"))),
        ]
    ),
    (
        "bundle",
        [
            ("path", .text), ("format", .word(BundleFormat.allCases.map(\.rawValue))), ("entries", .count),
            ("bytes", .count), ("sha256", .digest), ("handoffs", .list("handoff")),
        ]
    ),
    (
        "item",
        [
            ("url", .text), ("final_url", .optional(.text)), ("referrer", .optional(.text)),
            ("status", .word(ItemStatus.allCases.map(\.rawValue))), ("reason", .optional(.text)),
            ("http_status", .optional(.count)), ("content_type", .optional(.text)), ("name", .optional(.text)),
            ("extension", .optional(.text)),
            ("extension_source", .optional(.word(ExtensionSource.allCases.map(\.rawValue)))),
            ("bytes", .optional(.count)), ("sha256", .optional(.digest)), ("duplicate_of", .optional(.text)),
            ("change", .optional(.word(ItemChange.allCases.map(\.rawValue)))), ("stale", .flag), ("redirects", .texts),
            ("attempts", .count), ("resumed_from", .optional(.count)), ("started", .optional(.time)),
            ("seconds", .optional(.number)), ("error", .optional(.reference("error"))),
        ]
    ),
]

extension JSONText {
    fileprivate mutating func definition(_ name: StaticString, _ fields: [(StaticString, Kind)]) {
        key(name)
        object { $0.record(fields) }
    }

    /// An object with all of these members; later versions may add some.
    fileprivate mutating func record(_ fields: [(StaticString, Kind)]) {
        field("type", "object")
        key("required")
        array { json in for (name, _) in fields { json.value("\(name)") } }
        key("properties")
        object { json in
            for (name, kind) in fields {
                json.key(name)
                json.object { $0.kind(kind) }
            }
        }
    }

    private mutating func kind(_ kind: Kind) {
        switch kind {
        case .text: field("type", "string")
        case .count:
            field("type", "integer")
            field("minimum", 0)
        case .number:
            field("type", "number")
            field("minimum", 0)
        case .flag: field("type", "boolean")
        case .time:
            field("type", "string")
            field("pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?Z$")
        case .digest:
            field("type", "string")
            field("pattern", "^[0-9a-f]{64}$")
        case .constant(let text): field("const", text)
        case .word(let words):
            key("enum")
            array { json in for word in words { json.value(word) } }
        case .reference(let name): field("$ref", "#/$defs/\(name)")
        case .list(let name):
            field("type", "array")
            key("items")
            object { $0.field("$ref", "#/$defs/\(name)") }
        case .texts:
            field("type", "array")
            key("items")
            object { $0.field("type", "string") }
        case .optional(let kind):
            key("anyOf")
            array { json in
                json.object { $0.kind(kind) }
                json.object { $0.field("type", "null") }
            }
        }
    }
}
