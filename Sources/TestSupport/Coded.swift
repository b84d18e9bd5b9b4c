/// Bodies in content codings, made by a tool that is not ours.
package enum Coded {
    /// What Python's zlib makes of bytes.
    /// - Parameter window: 31 for gzip, 15 for zlib, -15 for deflate alone.
    package static func deflated(_ bytes: [UInt8], window: Int = 31) async throws -> [UInt8] {
        try await Folder.temporary { folder in
            try folder.write("in", bytes)
            let script =
                "import sys,zlib; c=zlib.compressobj(9,8,\(window)); d=open(sys.argv[1],'rb').read(); "
                + "open(sys.argv[2],'wb').write(c.compress(d)+c.flush())"
            _ = try await Program.tool("python3", ["-c", script, "\(folder.path)/in", "\(folder.path)/out"]).run()
            return try folder.read("out")
        }
    }
}
