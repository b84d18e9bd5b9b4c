import Files
import Foundation
import Model
import TestSupport
import Testing

@testable import Packing

@Suite("Encryption")
struct EncryptionTests {
    @Test(.enabled(if: Program.isInstalled("7z") && Program.isInstalled("bsdtar")))
    func aZipOpensWithItsPassphraseAlone() async throws {
        let depot = try Depot()
        let items = try [
            depot.item("a.txt", "secret content"), depot.item("b.jpg", SeededBytes.bytes(300_000, seed: 1)),
        ]
        let secrets = PackSecrets(passphrase: "tr\u{F6}t z\u{FC}g")
        let packed = try await depot.packAll(items, .zip, secrets: secrets) { $0.passphrase = .environment("X") }
        #expect(packed.bundles.count == 1)
        let folder = depot.bundles.path
        #expect(!(try depot.bundle("b.zip").contains(Array("secret content".utf8))))
        #expect(try await Program.output("7z", ["t", "-ptr\u{F6}t z\u{FC}g", "b.zip"], in: folder) != nil)
        #expect(try await Program.output("7z", ["t", "-pother", "b.zip"], in: folder) == nil)
        let listing = try await Program.output("7z", ["l", "-slt", "b.zip"], in: folder)
        #expect(listing?.components(separatedBy: "AES-256").count == 5)
        #expect(
            try await Program.output("bsdtar", ["-xf", "b.zip", "--passphrase", "tr\u{F6}t z\u{FC}g"], in: folder)
                != nil)
        #expect(try depot.bundle("a.txt") == Array("secret content".utf8))
    }
}

/// A keyring of a test's own.
private func withKeyring(
    passphrase: String = "", _ body: (_ home: Folder, _ environment: [String: String]) async throws -> Void
) async throws {
    try await Folder.temporary { home in
        chmod(home.path, 0o700)
        var gpg = try Program.tool(
            "gpg",
            [
                "--batch", "--pinentry-mode", "loopback", "--passphrase", passphrase, "--quick-gen-key",
                "archive@example.org", "default", "default", "never",
            ])
        gpg.environment["GNUPGHOME"] = home.path
        let outcome = try await gpg.run()
        #expect(outcome.ending == .exited(0), "\(outcome)")
        try await body(home, gpg.environment)
        var stop = try Program.tool("gpgconf", ["--kill", "all"])
        stop.environment["GNUPGHOME"] = home.path
        _ = try await stop.run()
    }
}

private func gpg(_ arguments: [String], _ environment: [String: String]) async throws -> Outcome {
    var program = try Program.tool("gpg", ["--batch"] + arguments)
    program.environment = environment
    return try await program.run()
}

@Suite("OpenPGP", .enabled(if: Program.isInstalled("gpg")), .serialized)
struct OpenPGPTests {
    @Test(arguments: [BundleFormat.tarZstd, .sevenZip])
    func aBundleOpensForItsRecipient(format: BundleFormat) async throws {
        try await withKeyring { home, environment in
            let depot = try Depot()
            let items = try [depot.item("a", SeededBytes.bytes(900_000, seed: 1))]
            let secrets = PackSecrets(environment: environment)
            let packed = try await depot.packAll(items, format, secrets: secrets) {
                $0.recipients = ["archive@example.org"]
            }
            let name = "b.\(format.rawValue).gpg"
            #expect(packed.bundles.map(\.name) == [name])
            #expect(depot.size(name) == packed.bundles[0].record.bytes)
            #expect(try depot.bundles.names().sorted() == [name, "\(name).sha256"])
            #expect(try await Program.output("sha256sum", ["-c", "\(name).sha256"], in: depot.bundles.path) != nil)
            let opened = "\(home.path)/opened"
            let outcome = try await gpg(["-o", opened, "-d", "\(depot.bundles.path)/\(name)"], environment)
            #expect(outcome.ending == .exited(0), "\(outcome)")
            let listing = try await Program.output("bsdtar", ["-tf", opened])
            #expect(listing == "a\nMANIFEST.json\nSHA256SUMS\n")
        }
    }

    @Test func anUnknownRecipientFailsThePack() async throws {
        try await withKeyring { _, environment in
            let depot = try Depot()
            let items = try [depot.item("a", "x")]
            let failure = try await #require(throws: Failure.self) {
                try await depot.packAll(items, .tar, secrets: PackSecrets(environment: environment)) {
                    $0.recipients = ["nobody@example.org"]
                }
            }
            #expect(failure.message.contains("nobody@example.org"))
            #expect(try depot.bundles.names().isEmpty)
        }
    }

    @Test func aMissingProgramIsTold() async throws {
        let depot = try Depot()
        let items = try [depot.item("a", "x")]
        let failure = try await #require(throws: Failure.self) {
            try await depot.packAll(items, .tar, secrets: PackSecrets(environment: ["PATH": "/nowhere"])) {
                $0.recipients = ["a"]
            }
        }
        #expect(failure.message.contains("gpg: it is not installed"))
    }

    @Test func aSignatureHoldsAndItsPassphraseIsNoArgument() async throws {
        try await withKeyring(passphrase: "hunter2") { _, environment in
            let depot = try Depot()
            let items = try [depot.item("a", "x")]
            func pack(_ passphrase: String) async throws -> PackedBundles {
                try await depot.packAll(
                    items, .tar, secrets: PackSecrets(signing: passphrase, environment: environment)
                ) { $0.sign = SignRules(key: .gpg("archive@example.org")) }
            }
            // The agent would remember the right one.
            await #expect(throws: Failure.self) { _ = try await pack("wrong") }
            let packed = try await pack("hunter2")
            #expect(packed.bundles[0].companions == ["b.tar.sha256", "b.tar.sig"])
            let path = depot.bundles.path
            let outcome = try await gpg(["--verify", "\(path)/b.tar.sig", "\(path)/b.tar"], environment)
            #expect(outcome.ending == .exited(0), "\(outcome)")
        }
    }
}

@Suite("Minisign", .enabled(if: Program.isInstalled("minisign")))
struct MinisignTests {
    @Test func aSignatureHolds() async throws {
        try await Folder.temporary { home in
            // Without a password, since deriving a key from one takes seconds.
            let generate = try Program.tool(
                "minisign", ["-G", "-W", "-f", "-p", "\(home.path)/k.pub", "-s", "\(home.path)/k.key"])
            let made = try await generate.run()
            try #require(made.ending == .exited(0), "\(made)")
            let depot = try Depot()
            let items = try [depot.item("a", "x")]
            let secrets = PackSecrets(environment: generate.environment)
            let packed = try await depot.packAll(items, .zip, secrets: secrets) {
                $0.sign = SignRules(key: .minisign("\(home.path)/k.key"))
            }
            #expect(packed.bundles[0].companions == ["b.zip.sha256", "b.zip.minisig"])
            let arguments = ["-V", "-p", "\(home.path)/k.pub", "-m", "b.zip"]
            #expect(try await Program.output("minisign", arguments, in: depot.bundles.path) != nil)
        }
    }
}
