import Database
import Files
import Model

/// What is wrong with a store as a whole.
package enum StoreError: Error, Sendable, CustomStringConvertible {
    case newerCatalog(version: Int)
    /// An earlier program wrote it, and it cannot be brought up to date where it is.
    case olderCatalog(version: Int)
    /// SQLite has changes beside a catalog that cannot be written.
    case unsettledCatalog(String)
    /// The catalog's file is damaged, or no catalog at all.
    case damagedCatalog(String)
    /// There is no catalog at that root.
    case noStore(String)
    /// There is no catalog at that root, though earlier runs stored something there.
    case lostCatalog(String)
    /// Another catalog took its place while this program had it open.
    case replacedCatalog(String)

    package var description: String {
        switch self {
        case .noStore(let root):
            "there is no catalog below \(root): either no job ran with this root yet, or it was lost; "
                + "'nightjar verify --rebuild' makes it again from objects and reports"
        case .lostCatalog(let root):
            "the catalog of \(root) was lost: objects or reports of earlier runs are there, and no catalog.sqlite that "
                + "knows them; 'nightjar verify --rebuild' makes it again from them (to begin from nothing, move them "
                + "away first)"
        case .replacedCatalog(let path):
            "\(path) was made again while this program had the old one open; run it again"
        case .damagedCatalog(let reason):
            "\(reason); 'nightjar verify --rebuild' sets it aside and makes it again from objects and reports"
        case .olderCatalog(let version):
            "the catalog has version \(version), this program needs \(Schema.versions.count), and nothing can be written "
                + "there; open it once where it can be"
        case .unsettledCatalog(let path):
            "\(path) holds changes that are not in the catalog yet, and nothing can be written there; open it once where "
                + "it can be"
        case .newerCatalog(let version):
            "the catalog has version \(version) and this program knows \(Schema.versions.count): "
                + "a later Nightjar wrote it; use that one"
        }
    }
}

/// True when an error of any stage means that the disk or a quota is full.
package func isDiskFull(_ error: any Error) -> Bool {
    switch error {
    case let error as SystemError: error.isDiskFull
    case let error as DatabaseError: error.isDiskFull
    case let error as Failure: error.code == .diskFull
    default: false
    }
}
