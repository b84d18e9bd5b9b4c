import Glibc
import Model
import TestSupport
import Testing

@testable import HandingOff

/// Python with what `scripts/deps` put beside the build.
private let python =
    #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/.build/python/bin/python3"

/// A store that was not made by us.
@Suite("Hand-off to moto", .enabled(if: access(python, X_OK) == 0))
struct MotoTests {
    private static let script = """
        import os, boto3, moto.server, threading, time, urllib.request
        server = moto.server.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
        server.start()
        port = server.get_host_and_port()[1]
        client = boto3.client("s3", endpoint_url="http://127.0.0.1:%d" % port, region_name="us-east-1",
            aws_access_key_id="k", aws_secret_access_key="s")
        client.create_bucket(Bucket="bucket")
        open("port.new", "w").write(str(port))
        os.rename("port.new", "port")
        while True:
            time.sleep(0.1)
            if os.path.exists("fetch"):
                key = open("fetch").read()
                client.download_file("bucket", key, "fetched.new")
                os.rename("fetched.new", "fetched")
                os.unlink("fetch")
        """

    @Test(arguments: [1_000, 66 << 20])
    func takesObjectsInOneAndInParts(bytes: Int) async throws {
        try await Depot.with { depot in
            try await Folder.temporary { home in
                try home.write("run", "#!/bin/sh\nexec \(python) -c \"$1\"\n")
                chmod("\(home.path)/run", 0o755)
                let content = SeededBytes.bytes(bytes, seed: 9)
                let parcel = try depot.parcel("b (\u{D55C}).tar", content)
                try await ToolServer.running("sh", ["run", Self.script], in: home, sign: "port") {
                    let port = try home.text("port")
                    let target = destination("s3://bucket/some/where", .s3) { destination in
                        destination.rules.endpoint = "http://127.0.0.1:\(port)"
                        (destination.user, destination.password) = ("k", "s")
                    }
                    #expect(try await deliver(parcel, to: target) == .content)
                    try home.write("wanted", "some/where/b (\u{D55C}).tar")
                    rename("\(home.path)/wanted", "\(home.path)/fetch")
                    for _ in 0..<600 where !home.exists("fetched") { try await Task.sleep(for: .milliseconds(20)) }
                    #expect(try home.read("fetched") == content)
                }
            }
        }
    }
}
