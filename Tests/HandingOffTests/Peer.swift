import TestSupport

/// A server of Python's that takes what is put into it, as a WebDAV server or an S3-compatible store that checks every
/// signature by itself, and fails as it is told to.
struct Peer: Sendable {
    let home: Folder
    let port: UInt16

    var origin: String { "http://127.0.0.1:\(port)" }

    /// Every request: method, path with query, status.
    var log: [String] { ((try? home.text("log")) ?? "").split(separator: "\n").map(String.init) }

    /// What it has under a path.
    func content(_ path: String) -> [UInt8]? { try? home.read("store/" + path.replacing("/", with: "|")) }

    /// - Parameter faults: `busy=N` answers N uploads with 503; `drop=N` breaks the Nth upload off half-way; `folders`
    ///   wants folders made first; `digest` tells digests; `short` tells a wrong size; `silent` answers HEAD with 405;
    ///   `login=NAME:PASSWORD`; `s3=KEY:SECRET`.
    static func serving<Result>(
        _ faults: String..., isolation: isolated (any Actor)? = #isolation,
        _ body: (Peer) async throws -> sending Result
    ) async throws -> sending Result {
        try await Folder.temporary { home in
            _ = try home.folder("store")
            return try await ToolServer.running("python3", ["-c", script] + faults, in: home, sign: "port") {
                guard let port = UInt16(try home.text("port")) else { throw Unreadable() }
                return try await body(Peer(home: home, port: port))
            }
        }
    }

    struct Unreadable: Error {}

    private static let script = #"""
        import base64, hashlib, hmac, http.server, os, sys, urllib.parse, uuid

        faults = dict((f.split("=", 1) + [""])[:2] for f in sys.argv[1:])
        counts = {"busy": int(faults.get("busy", 0)), "drop": int(faults.get("drop", 0)), "uploads": 0}
        uploads = {}
        folders = {"/"}

        def file(path): return "store/" + path.strip("/").replace("/", "|")

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args): pass

            def say(self, status, headers=(), body=b""):
                with open("log", "a") as log: log.write("%s %s %d\n" % (self.command, self.path, status))
                self.send_response(status)
                told = dict(headers)
                if "Content-Length" not in told: self.send_header("Content-Length", str(len(body)))
                for name, value in headers: self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD": self.wfile.write(body)

            def take(self):
                left = int(self.headers.get("Content-Length", 0))
                counts["uploads"] += 1
                if counts["uploads"] == counts["drop"]:
                    self.rfile.read(left // 2)
                    self.close_connection = True
                    self.connection.close()
                    return None
                return self.rfile.read(left)

            def wrong(self, body):
                if "login" in faults:
                    want = "Basic " + base64.b64encode(faults["login"].encode()).decode()
                    if self.headers.get("Authorization") != want: return "login"
                if "s3" in faults: return self.signature(body)

            def signature(self, body):
                key, secret = faults["s3"].split(":")
                auth = self.headers.get("Authorization", "")
                if not auth.startswith("AWS4-HMAC-SHA256 "): return "no signature"
                parts = dict(p.strip().split("=", 1) for p in auth[17:].split(","))
                who, day, region, service, end = parts["Credential"].split("/")
                path, _, query = self.path.partition("?")
                pairs = sorted(p if "=" in p else p + "=" for p in query.split("&")) if query else []
                signed = parts["SignedHeaders"].split(";")
                for need in ("host", "x-amz-content-sha256", "x-amz-date"):
                    if need not in signed: return need + " is not signed"
                told = self.headers["x-amz-content-sha256"]
                if told != hashlib.sha256(body or b"").hexdigest(): return "XAmzContentSHA256Mismatch"
                lines = [self.command, path, "&".join(pairs)]
                lines += [h + ":" + " ".join(self.headers[h].split()) for h in signed]
                lines += ["", ";".join(signed), told]
                scope = "/".join((day, region, service, end))
                text = "\n".join(("AWS4-HMAC-SHA256", self.headers["x-amz-date"], scope,
                    hashlib.sha256("\n".join(lines).encode()).hexdigest()))
                k = ("AWS4" + secret).encode()
                for part in (day, region, service, end): k = hmac.new(k, part.encode(), hashlib.sha256).digest()
                good = hmac.new(k, text.encode(), hashlib.sha256).hexdigest()
                if who != key or good != parts["Signature"]: return "SignatureDoesNotMatch"

            def handle_all(self):
                body = self.take() if self.command in ("PUT", "POST") else b""
                if body is None: return
                problem = self.wrong(body)
                if problem:
                    return self.say(403, (), ("<Error><Code>%s</Code><Message>no</Message></Error>" % problem).encode())
                path, _, query = self.path.partition("?")
                path = urllib.parse.unquote(path)
                query = dict((p.split("=", 1) + [""])[:2] for p in query.split("&")) if query else {}
                query = {k: urllib.parse.unquote(v) for k, v in query.items()}
                if self.command == "MKCOL":
                    folders.add(path.rstrip("/") or "/")
                    return self.say(201)
                if self.command == "PUT" or self.command == "POST" and "uploads" not in query:
                    if counts["busy"] > 0:
                        counts["busy"] -= 1
                        return self.say(503)
                if "uploads" in query:
                    name = uuid.uuid4().hex + "+/=~"
                    uploads[name] = {}
                    return self.say(200, (), ("<R><UploadId>%s</UploadId></R>" % name).encode())
                if "uploadId" in query:
                    parts = uploads.get(query["uploadId"])
                    if parts is None: return self.say(404, (), b"<Error><Code>NoSuchUpload</Code></Error>")
                    if self.command == "PUT":
                        tag = hashlib.md5(body).hexdigest()
                        parts[int(query["partNumber"])] = (tag, body)
                        return self.say(200, (("ETag", '"%s"' % tag),))
                    if self.command == "GET":
                        after = int(query.get("part-number-marker", 0))
                        listed = [n for n in sorted(parts) if n > after]
                        more = len(listed) > 1
                        listed = listed[:1]
                        xml = "<L>" + "".join("<Part><PartNumber>%d</PartNumber><ETag>&quot;%s&quot;</ETag></Part>"
                            % (n, parts[n][0]) for n in listed)
                        xml += "<IsTruncated>%s</IsTruncated>" % str(more).lower()
                        if listed: xml += "<NextPartNumberMarker>%d</NextPartNumberMarker>" % listed[-1]
                        return self.say(200, (), (xml + "</L>").encode())
                    whole = b"".join(parts[n][1] for n in sorted(parts))
                    tag = hashlib.md5(b"".join(bytes.fromhex(parts[n][0]) for n in sorted(parts))).hexdigest()
                    tag += "-%d" % len(parts)
                    del uploads[query["uploadId"]]
                    open(file(path), "wb").write(whole)
                    open(file(path) + ".tag", "w").write(tag)
                    return self.say(200, (), b"<CompleteMultipartUploadResult/>")
                if self.command == "PUT":
                    if "folders" in faults and (path.rpartition("/")[0] or "/") not in folders: return self.say(409)
                    open(file(path), "wb").write(body)
                    open(file(path) + ".tag", "w").write(hashlib.md5(body).hexdigest())
                    return self.say(200 if "s3" in faults else 201)
                if "silent" in faults: return self.say(405)
                if not os.path.exists(file(path)): return self.say(404)
                content = open(file(path), "rb").read()
                headers = [("ETag", '"%s"' % open(file(path) + ".tag").read())]
                headers.append(("Content-Length", str(len(content) - (1 if "short" in faults else 0))))
                if "digest" in faults:
                    digest = hashlib.sha256(content if faults["digest"] != "wrong" else b"").digest()
                    headers.append(("Repr-Digest", "sha-256=:%s:" % base64.b64encode(digest).decode()))
                self.say(200, headers, content)

            do_PUT = do_POST = do_HEAD = do_GET = do_MKCOL = handle_all

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        open("port.new", "w").write(str(server.server_port))
        os.rename("port.new", "port")
        server.serve_forever()
        """#
}
