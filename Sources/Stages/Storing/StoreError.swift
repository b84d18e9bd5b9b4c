/// What is wrong with a store as a whole.
package enum StoreError: Error, Sendable, CustomStringConvertible {
    case newerCatalog(version: Int)

    package var description: String {
        switch self {
        case .newerCatalog(let version):
            "the catalog has version \(version) and this program knows \(Schema.versions.count): "
                + "a later Nightjar wrote it; use that one"
        }
    }
}
