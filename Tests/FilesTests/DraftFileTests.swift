import Files
import Foundation
import Testing

@Suite("Files without a name until they are whole")
struct DraftFileTests {
    private func scratch() throws -> (Directory, String) {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("nightjar-\(UUID().uuidString)").path
        return (try Directory(path, create: true), path)
    }

    @Test(arguments: [true, false])
    func appearsUnderItsName(isUnnamed: Bool) throws {
        let (directory, path) = try scratch()
        defer { try? FileManager.default.removeItem(atPath: path) }
        do {
            let draft = try DraftFile("a", in: directory, isUnnamed: isUnnamed)
            try draft.descriptor.write([1, 2, 3])
            #expect(try directory.names() == (isUnnamed ? [] : [".a.part"]))
            try draft.link(as: "a")
            #expect(throws: SystemError.self) { try draft.link(as: "a") }
        }
        #expect(try directory.names() == ["a"])
        #expect(try directory.open("a").readAll(limit: 9) == [1, 2, 3])
    }

    @Test(arguments: [true, false])
    func leavesNothingWhenLetGo(isUnnamed: Bool) throws {
        let (directory, path) = try scratch()
        defer { try? FileManager.default.removeItem(atPath: path) }
        do { _ = try DraftFile("a", in: directory, isUnnamed: isUnnamed) }
        #expect(try directory.names().isEmpty)
    }

    @Test func takesTheTemporaryNameOfADeadProcess() throws {
        let (directory, path) = try scratch()
        defer { try? FileManager.default.removeItem(atPath: path) }
        symlink("/etc/hostname", "\(path)/.a.part")
        let draft = try DraftFile("a", in: directory, isUnnamed: false)
        try draft.link(as: "a")
        #expect(try directory.status("a")?.isRegular == true)
    }

    @Test(arguments: [
        (".a.tar.part", true), (".a.sha256.12.tmp", true), ("a.part", false), (".hidden", false), ("", false),
    ])
    func knowsLeftovers(name: String, expected: Bool) {
        #expect(DraftFile.isLeftover(name) == expected)
    }
}
