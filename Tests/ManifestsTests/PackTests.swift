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

    @Test func whatGoesInAndHow() throws {
        let text = """
            pack:
              - format: zip
                contents: run
                include: ["*.pdf", "2026/*"]
                exclude: [draft-*]
                bagit: true
                bag-info: { Source-Organization: Example Library, Contact-Phone: 123 }
                split: 1MiB
                passphrase: { env: X }
                recipients: [archive@example.org, keys/b.asc]
                sign: { minisign: keys/c.key, passphrase: { file: d } }
            """
        let pack = try #require(readJob(below: text), "\(problems(below: text))").packs[0]
        #expect(pack.contents == .run && pack.include == ["*.pdf", "2026/*"] && pack.exclude == ["draft-*"])
        let info = try #require(pack.bag).info
        #expect(info.map(\.label) == ["Source-Organization", "Contact-Phone"])
        #expect(info.map(\.value) == ["Example Library", "123"])
        #expect(pack.split == 1 << 20 && pack.passphrase == .environment("X"))
        #expect(pack.recipients == ["archive@example.org", "/jobs/keys/b.asc"])
        #expect(pack.sign == SignRules(key: .minisign("/jobs/keys/c.key"), passphrase: .file("/jobs/d")))
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
                "pack: [{ format: zip, name: '.{job}.part' }]",
                ["3:29 pack[1].name: a bundle's name may not begin with a dot: what is under way does"]
            ),
            (
                "pack: [{ format: zip, name: '\(String(repeating: "n", count: 197)).zip' }]",
                [
                    "3:29 pack[1].name: more than 200 bytes leave no room for numbers, checksums and signatures"
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
            ("pack: [{ format: 7z }]", []),
            (
                "pack: [{ format: 7z, passphrase: { env: X } }]",
                ["3:34 pack[1].passphrase: 7z cannot be encrypted with a passphrase, only zip can; use 'recipients'"]
            ),
            ("pack: [{ format: zip, passphrase: { env: X } }]", []),
            (
                "pack: [{ format: zip, passphrase: hunter2 }]",
                ["3:35 pack[1].passphrase: expected { env: NAME } or { file: PATH }, found 'hunter2'"]
            ),
            (
                "pack: [{ format: zip, bag-info: { A: b } }]",
                ["3:33 pack[1].bag-info: this is no bag; add 'bagit: true' or remove the fields"]
            ),
            (
                "pack: [{ format: zip, bagit: true, bag-info: { 'A: b': c, Payload-Oxum: x, D: \"e\\nf\" } }]",
                [
                    "3:48 pack[1].bag-info.A: b: a label is of letters, digits, '-' and blanks",
                    "3:59 pack[1].bag-info.Payload-Oxum: this field cannot be set; the packer counts it",
                    "3:79 pack[1].bag-info.D: expected text, found the text 'e\\u{A}f'; it holds a line break or another control character",
                ]
            ),
            (
                "pack: [{ format: zip, sign: { gpg: a, minisign: b } }]",
                ["3:49 pack[1].sign: name one of gpg and minisign, not both"]
            ),
            (
                "pack: [{ format: zip, sign: { passphrase: { env: X } } }]",
                ["3:43 pack[1].sign: name the key too: gpg or minisign"]
            ),
            (
                "pack: [{ format: zip, sign: { gpg: -a } }]",
                ["3:36 pack[1].sign.gpg: expected a key's id or address, found '-a'; it begins with '-'"]
            ),
            (
                "pack: [{ format: rar }]",
                [
                    "3:18 pack[1].format: expected one of tar, tar.gz, tar.zst, tar.xz, zip, 7z, found 'rar'; did you mean 'tar'?"
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
