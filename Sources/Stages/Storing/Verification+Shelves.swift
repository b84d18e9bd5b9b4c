import Digests
import Files
import Lanes

extension Store {
    /// Names below `objects/` where a folder of objects belongs and a file stands.
    func strayShelves() async throws -> [String] {
        let objects = objects
        return try await disk.run {
            try (UInt8.min...UInt8.max).map { hex([$0]) }.filter { try objects.status($0)?.isRegular == true }
        }
    }

    /// Moves such a file away.
    /// - Returns: its name in ``lostAndFound``.
    func setAside(strayShelf name: String, at seconds: Double) async throws -> String {
        let (root, objects) = (root, objects)
        return try await disk.run {
            let aside = try root.directory(Self.lostAndFound, create: true)
            try objects.open(name).setModified(seconds)
            return try objects.setAside(name, in: aside, as: name, ".stray")
        }
    }
}
