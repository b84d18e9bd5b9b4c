import Model
import Templates
import Testing

@testable import Manifests

@Suite struct PackTests {
    @Test func everythingGiven() throws {
        let text = """
            pack:
              - { format: tar.zst, contents: all, name: "{job}-a.{ext}", id: nightly, level: 19, threads: 4 }
              - format: zip
            """
        let packs = try #require(readJob(below: text)).packs
        #expect(packs.map(\.id) == ["nightly", "2-zip"])
        #expect(packs.map(\.format) == [.tarZstd, .zip])
        #expect(packs.map(\.contents) == [.all, .new])
        #expect(packs.map(\.name.source) == ["{job}-a.{ext}", "{job}-{date:yyyyMMddHHmmss}.{ext}"])
        #expect(packs.map(\.level) == [19, nil])
        #expect(packs.map(\.threads) == [4, 1])
    }

    @Test(
        arguments: [
            (
                "pack: [{ format: zip }, { format: zip }]",
                [
                    "3:25 pack[2].name: pack 1 writes the same bundle name; give one of them another, such as \"{job}-{pack}-{date:yyyyMMdd}.{ext}\""
                ]
            ),
            (
                "pack: [{ format: zip, name: 'a.zip' }, { format: tar, name: '{job}.zip' }]",
                [
                    "3:61 pack[2].name: pack 1 writes the same bundle name; give one of them another, such as \"{job}-{pack}-{date:yyyyMMdd}.{ext}\""
                ]
            ),
            (
                "pack: [{ format: zip, id: x }, { format: tar, id: x }]",
                ["3:51 pack[2].id: pack 1 has the id 'x' too; the ledger could not tell them apart"]
            ),
            (
                "pack: [{ format: zip, id: 2-tar }, { format: tar }]",
                ["3:27 pack[2].id: pack 1 has the id '2-tar' too; the ledger could not tell them apart"]
            ),
            ("pack: [{ format: zip, name: '{pack}.zip' }, { format: tar, name: '{pack}.zip' }]", []),
            (
                "pack: [{ format: 7z }]",
                [
                    "3:18 pack[1].format: expected one of tar, tar.gz, tar.zst, tar.xz, zip, found '7z'; it is not supported yet"
                ]
            ),
            (
                "pack: [{ format: rar }]",
                [
                    "3:18 pack[1].format: expected one of tar, tar.gz, tar.zst, tar.xz, zip, found 'rar'; did you mean 'tar'?"
                ]
            ),
            ("pack: [{ format: zip, level: 19 }]", ["3:30 pack[1].level: zip takes levels from 0 to 9, found '19'"]),
            ("pack: [{ format: tar, level: 1 }]", ["3:30 pack[1].level: tar does not compress; remove the level"]),
            ("pack: { format: zip }", ["3:7 pack: expected a list of packs, found a mapping"]),
            ("pack: [zip]", ["3:8 pack[1]: expected keys below it, found 'zip'"]),
            ("pack: []", ["3:7 pack: the list is empty; remove the key or name at least one"]),
        ] as [(String, [String])])
    func checks(_ text: String, _ expected: [String]) { #expect(problems(below: text) == expected) }
}
