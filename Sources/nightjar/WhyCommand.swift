import Digests
import Model
import Reporting
import Storing
import Times
import URLs

/// `nightjar why`.
@Sendable func showWhy(_ invocation: Invocation) async throws -> Int32 {
    guard invocation.arguments.count == 1, let word = invocation.arguments.first else {
        throw UsageError("nightjar why takes one URL, or a path such as files/JOB/NAME")
    }
    let store = try await Store.openExisting(invocation.rootFolder())
    let url = try await url(word, in: store)
    let stories = try await store.catalog.stories(of: url.key, limit: invocation.has(.json) ? 1000 : 20)
    if invocation.has(.json) {
        try printOutput(json(url, stories))
        return stories.isEmpty ? 1 : 0
    }
    try printOutput("\(shown(url.displayed))\n")
    if stories.isEmpty {
        let others = try await store.catalog.redirecting(to: url.key)
        let lines = others.map { "  reached by a redirect from \(display($0))\n" }
        try printOutput(lines.isEmpty ? "  no run has met this URL\n" : lines.joined())
        return others.isEmpty ? 1 : 0
    }
    for story in stories { try printOutput(text(story, of: url)) }
    return 0
}

/// A URL as typed, or the one that a file came from.
private func url(_ word: String, in store: Store) async throws -> WebURL {
    if let url = WebURL(word) { return url }
    let parts = word.split(separator: "/").map(String.init)
    if let files = parts.lastIndex(of: "files"), parts.count > files + 2 {
        let name = parts[(files + 2)...].joined(separator: "/")
        guard let key = try await store.catalog.url(ofName: name, job: parts[files + 1]), let url = WebURL(key) else {
            throw UsageError("the catalog knows no file \(shown(word))")
        }
        return url
    }
    throw UsageError("'\(shown(word))' is no URL; write it whole, such as https://example.org/report.pdf")
}

private func display(_ key: String?) -> String { shown(key.flatMap { WebURL($0)?.displayed } ?? key ?? "") }

private func text(_ story: URLStory, of url: WebURL) -> String {
    var lines = ["  job \(story.job)"]
    if let known = story.known {
        lines.append(
            "    object    objects/\(known.content.objectPath), \(shown(bytes: known.content.bytes))"
                + (known.contentType.map { ", \(shown($0))" } ?? "") + (known.isLost ? ", lost" : ""))
        if let last = known.lastRun, let seen = known.seen {
            lines.append(
                "    seen      first by run \(known.firstRun ?? "?"), last by run \(last) (\(RFC3339.format(seen)))")
        }
        let validators = [known.etag.map { "ETag \($0)" }, known.lastModified.map { "Last-Modified \($0)" }]
        let told = validators.compactMap { $0 }.joined(separator: ", ")
        if !told.isEmpty { lines.append("    validator \(shown(told))") }
        if let other = known.duplicateOf { lines.append("    duplicate of \(shown(other))") }
    } else {
        lines.append("    nothing of it is stored")
    }
    for name in story.names {
        let isToday = name.content.sha256 == story.known?.content.sha256
        let old = isToday ? "" : ", older content objects/\(name.content.objectPath)"
        lines.append("    file      files/\(story.job)/\(shown(name.name)), by run \(name.run ?? "?")\(old)")
    }
    for bundle in story.bundles {
        let removed = bundle.removed.map { ", removed \(RFC3339.format($0))" } ?? ""
        let out = bundle.handedOff.map { ", handed off \(RFC3339.format($0))" } ?? ", not handed off yet"
        lines.append("    bundle    \(shown(bundle.path)) as \(shown(bundle.name))\(out)\(removed)")
    }
    for verdict in story.verdicts { lines.append("    \(text(verdict, of: url))") }
    if story.runs > story.verdicts.count {
        lines.append("    and \(story.runs - story.verdicts.count) earlier runs; see the view url_history")
    }
    return lines.joined(separator: "\n") + "\n"
}

private func text(_ verdict: URLStory.Verdict, of url: WebURL) -> String {
    var parts = ["\(RFC3339.format(verdict.seen))  \(verdict.status)"]
    if let reason = verdict.reason { parts.append(shown(reason)) }
    if let failure = verdict.failure { parts.append("\(failure.code.rawValue): \(shown(failure.message))") }
    if let status = verdict.httpStatus { parts.append("HTTP \(status)") }
    if let final = verdict.finalURL, final != url.key { parts.append("from \(display(final))") }
    parts.append(verdict.referrer.map { "found on \(display($0))" } ?? "a start URL")
    if let text = verdict.text, !text.isEmpty { parts.append("linked as \"\(shown(text))\"") }
    parts.append("run \(verdict.run)")
    return parts.joined(separator: ", ")
}

private func json(_ url: WebURL, _ stories: [URLStory]) -> String {
    var json = JSONText()
    json.object { json in
        json.field("url", url.displayed)
        json.key("jobs")
        json.array { json in
            for story in stories { add(story, &json) }
        }
    }
    json.endDocument()
    return String(decoding: json.bytes, as: UTF8.self)
}

private func add(_ story: URLStory, _ json: inout JSONText) {
    json.object { json in
        json.field("job", story.job)
        json.field("sha256", story.known.map { hex($0.content.sha256) })
        json.field("bytes", story.known?.content.bytes)
        json.field("name", story.known?.name)
        json.field("duplicate_of", story.known?.duplicateOf)
        json.field("content_type", story.known?.contentType)
        json.field("etag", story.known?.etag)
        json.field("last_modified", story.known?.lastModified)
        json.field("first_run", story.known?.firstRun)
        json.field("last_run", story.known?.lastRun)
        json.key("names")
        json.array { json in
            for name in story.names {
                json.object { json in
                    json.field("name", name.name)
                    json.field("sha256", hex(name.content.sha256))
                    json.field("run", name.run)
                }
            }
        }
        json.key("bundles")
        json.array { json in
            for bundle in story.bundles {
                json.object { json in
                    json.field("path", bundle.path)
                    json.field("name", bundle.name)
                    json.field("run", bundle.run)
                    json.field("handed_off", bundle.handedOff.map { RFC3339.format($0) })
                    json.field("removed", bundle.removed.map { RFC3339.format($0) })
                }
            }
        }
        json.key("runs")
        json.array { json in
            for verdict in story.verdicts { add(verdict, &json) }
        }
    }
}

private func add(_ verdict: URLStory.Verdict, _ json: inout JSONText) {
    json.object { json in
        json.field("run", verdict.run)
        json.field("seen", RFC3339.format(verdict.seen))
        json.field("status", verdict.status)
        json.field("reason", verdict.reason)
        json.field("http_status", verdict.httpStatus)
        json.field("referrer", verdict.referrer.map(display))
        json.field("depth", verdict.depth)
        json.field("final_url", verdict.finalURL.map(display))
        json.field("sha256", verdict.sha256.map { hex($0) })
        json.key("error")
        json.failure(verdict.failure)
    }
}
