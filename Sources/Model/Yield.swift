/// What a run found at its source, whether it was new or not: what the next runs are measured by.
package struct RunYield: Sendable, Hashable {
    /// Links found on pages.
    package var links = 0
    /// Items that were downloaded or found unchanged.
    package var items = 0
    /// Bytes of those items.
    package var bytes: Int64 = 0
    /// Those items by content type, lower-case and without parameters.
    package var types: [String: Int] = [:]

    package init(links: Int = 0, items: Int = 0, bytes: Int64 = 0, types: [String: Int] = [:]) {
        self.links = links
        self.items = items
        self.bytes = bytes
        self.types = types
    }

    /// Servers could make up a type for each item; a run has this many at most.
    private static let mostTypes = 64

    /// Adds an item, if its content is there.
    package mutating func count(_ record: ItemRecord) {
        guard [.downloaded, .unchanged, .duplicate].contains(record.status) else { return }
        items += 1
        bytes = bytes.addingReportingOverflow(record.bytes ?? 0).partialValue
        guard let type = record.contentType.map(Self.essence), !type.isEmpty, type.utf8.count <= 100,
            types[type] != nil || types.count < Self.mostTypes
        else { return }
        types[type, default: 0] += 1
    }

    private static func essence(_ type: String) -> String {
        let words = type.utf8.prefix { $0 != UInt8(ascii: ";") }.split(separator: UInt8(ascii: " "))
        return words.first.map { String(decoding: $0, as: UTF8.self).lowercased() } ?? ""
    }
}
