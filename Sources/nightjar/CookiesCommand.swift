import Cookies
import Files
import Glibc
import Reporting
import Times

/// `nightjar cookies`.
@Sendable func manageCookies(_ invocation: Invocation) async throws -> Int32 {
    let usage = "usage: nightjar cookies import POOL FILE, export POOL, list [POOL], or clear POOL"
    let words = invocation.arguments
    guard let action = words.first else { throw UsageError(usage) }
    let counts = ["import": 3...3, "export": 2...2, "list": 1...2, "clear": 2...2]
    guard let count = counts[action] else {
        throw UsageError("nightjar cookies cannot '\(shown(action))'; \(usage)")
    }
    guard count.contains(words.count) else { throw UsageError(usage) }
    let root = try invocation.rootFolder()
    switch action {
    case "import": return try importCookies(words[2], into: words[1], root)
    case "export":
        try printOutput(CookieText.write(jar(words[1], root).read(now: currentTime()).jar.cookies))
    case "clear":
        let now = currentTime()
        var count = 0
        try jar(words[1], root).edit(now: now) { content in
            count = content.jar.count
            content.jar.keep(now: now) { _ in false }
        }
        try printOutput("\(shown(count, "cookie")) removed from \(words[1])\n")
    default: try list(words.count == 2 ? words[1] : nil, root, invocation)
    }
    return 0
}

/// A jar that is there.
private func jar(_ name: String, _ root: String) throws -> CookieFile {
    try checkName(name)
    guard let folder = try? Directory(root).directory("cookies"), try folder.status("\(name).txt") != nil else {
        throw UsageError(
            "there is no jar '\(name)' below \(root)/cookies; 'nightjar cookies list' shows those that are there")
    }
    return try CookieFile(name, in: folder)
}

/// The names that manifests give jars: `[a-z0-9-]`, with `job.` before it for a job's own.
private func checkName(_ name: String) throws {
    let bare = name.hasPrefix("job.") ? name.dropFirst(4) : name[...]
    let allowed = Array("abcdefghijklmnopqrstuvwxyz0123456789-".utf8)
    guard (1...64).contains(bare.utf8.count), bare.utf8.first != UInt8(ascii: "-"),
        bare.utf8.allSatisfy({ allowed.contains($0) })
    else {
        throw UsageError("'\(shown(name))' is no jar: it is a pool's name of a-z, 0-9 and '-', or job.<job>")
    }
}

private func importCookies(_ path: String, into name: String, _ root: String) throws -> Int32 {
    try checkName(name)
    let bytes = try content(ofFile: path)
    guard bytes.count <= CookieText.largest else {
        throw UsageError("\(path) is larger than \(shown(bytes: Int64(CookieText.largest)))")
    }
    let now = currentTime()
    let imported = CookieText.read(bytes, now: now)
    for problem in imported.problems {
        printError("\(shown(path)):\(problem.line): warning: \(problem.message); the line was passed over\n")
    }
    let cookies = imported.jar.cookies
    if !cookies.isEmpty {
        let folder = try Directory(root, create: true).directory("cookies", create: true)
        try CookieFile(name, in: folder).edit(now: now) { content in
            for cookie in cookies { content.jar.set(cookie, now: now) }
        }
    }
    try printOutput("\(shown(cookies.count, "cookie")) imported into \(name)\n")
    return cookies.isEmpty && !imported.problems.isEmpty ? 1 : 0
}

private func list(_ name: String?, _ root: String, _ invocation: Invocation) throws {
    var jars: [(name: String, cookies: [Cookie])] = []
    let now = currentTime()
    if let name {
        jars = [(name, try jar(name, root).read(now: now).jar.cookies)]
    } else if let folder = try? Directory(root).directory("cookies") {
        jars = try CookieFile.names(in: folder).map { name in
            (name, try CookieFile(name, in: folder).read(now: now).jar.cookies)
        }
    }
    let showsValues = invocation.has(.showValues)
    if invocation.has(.json) { return try printOutput(json(jars, showsValues)) }
    for jar in jars {
        if name == nil { try printOutput("\(jar.name): \(shown(jar.cookies.count, "cookie"))\n") }
        for cookie in jar.cookies { try printOutput(line(cookie, showsValues) + "\n") }
    }
}

private func line(_ cookie: Cookie, _ showsValues: Bool) -> String {
    let identity = cookie.identity
    let name = text(identity.name)
    let flags = [
        cookie.isSecure ? "Secure" : nil, cookie.isHTTPOnly ? "HttpOnly" : nil,
    ].compactMap { $0 }.joined(separator: " ")
    let parts = [
        (identity.isHostOnly ? "" : ".") + identity.domain, shown(text(identity.path)),
        shown(showsValues ? "\(name)=\(text(cookie.value))" : name),
        cookie.expires.map { "until \(RFC3339.format($0))" } ?? "session", flags,
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "  ")
}

private func json(_ jars: [(name: String, cookies: [Cookie])], _ showsValues: Bool) -> String {
    var json = JSONText()
    json.object { json in
        json.key("jars")
        json.array { json in
            for jar in jars {
                json.object { json in
                    json.field("name", jar.name)
                    json.key("cookies")
                    json.array { json in
                        for cookie in jar.cookies { write(cookie, showsValues, to: &json) }
                    }
                }
            }
        }
    }
    json.endDocument()
    return String(decoding: json.bytes, as: UTF8.self)
}

private func write(_ cookie: Cookie, _ showsValues: Bool, to json: inout JSONText) {
    json.object { json in
        json.field("domain", cookie.identity.domain)
        json.field("host_only", cookie.identity.isHostOnly)
        json.field("path", text(cookie.identity.path))
        json.field("name", text(cookie.identity.name))
        json.field("secure", cookie.isSecure)
        json.field("http_only", cookie.isHTTPOnly)
        json.field("expires", cookie.expires.map { RFC3339.format($0) })
        if showsValues { json.field("value", text(cookie.value)) }
    }
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
