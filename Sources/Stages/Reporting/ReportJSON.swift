import JSON
package import Model
import Times

/// The report's shapes as JSON, with every field of the contract present, null where there is nothing to say.
extension JSONText {
    mutating func item(_ record: ItemRecord) {
        object { json in
            json.field("url", record.url)
            json.field("final_url", record.finalURL)
            json.field("referrer", record.referrer)
            json.field("status", record.status.rawValue)
            json.field("reason", record.reason)
            json.field("http_status", record.httpStatus)
            json.field("content_type", record.contentType)
            json.field("name", record.name)
            json.field("extension", record.extension)
            json.field("extension_source", record.extensionSource?.rawValue)
            json.field("bytes", record.bytes)
            json.field("sha256", record.sha256)
            json.field("duplicate_of", record.duplicateOf)
            json.field("change", record.change?.rawValue)
            json.field("stale", record.stale)
            json.key("redirects")
            json.array { for url in record.redirects { $0.value(url) } }
            json.field("attempts", record.attempts)
            json.field("resumed_from", record.resumedFrom)
            json.field("started", record.started)
            json.field("seconds", seconds: record.seconds)
            json.key("error")
            json.failure(record.error)
        }
    }

    package mutating func failure(_ failure: Failure?) {
        guard let failure else { return value(String?.none) }
        object { json in
            json.field("code", failure.code.rawValue)
            json.field("message", failure.message)
        }
    }

    package mutating func counts(_ counts: RunCounts) { object { $0.members(counts) } }

    mutating func bytes(_ bytes: RunBytes) { object { $0.members(bytes) } }

    fileprivate mutating func members(_ counts: RunCounts) {
        field("pages", counts.pages)
        field("links", counts.links)
        field("downloaded", counts.downloaded)
        field("unchanged", counts.unchanged)
        field("duplicate", counts.duplicate)
        field("skipped", counts.skipped)
        field("failed", counts.failed)
        field("gone", counts.gone)
    }

    fileprivate mutating func members(_ bytes: RunBytes) {
        field("received", bytes.received)
        field("stored", bytes.stored)
        field("deduplicated", bytes.deduplicated)
    }

    mutating func changes(_ changes: RunChanges) {
        object { json in
            json.field("new", changes.new)
            json.field("changed", changes.changed)
            json.field("gone", changes.gone)
        }
    }

    mutating func warning(_ warning: RunWarning) {
        object { json in
            json.field("code", warning.code)
            json.field("message", warning.message)
            json.field("url", warning.url)
        }
    }

    mutating func bundle(_ bundle: BundleRecord) {
        object { json in
            json.field("path", bundle.path)
            json.field("format", bundle.format.rawValue)
            json.field("entries", bundle.entries)
            json.field("bytes", bundle.bytes)
            json.field("sha256", bundle.sha256)
            json.key("handoffs")
            json.array { list in
                for handoff in bundle.handoffs {
                    list.object { json in
                        json.field("to", handoff.to)
                        json.field("status", handoff.status.rawValue)
                        json.field("time", handoff.time)
                        json.key("error")
                        json.failure(handoff.error)
                    }
                }
            }
        }
    }
}

/// The counts and bytes as one JSON object, as the catalog keeps them.
package func countsJSON(_ counts: RunCounts, _ bytes: RunBytes) -> String {
    var json = JSONText()
    json.object { json in
        json.members(counts)
        json.members(bytes)
    }
    return String(decoding: json.bytes, as: UTF8.self)
}

/// What is posted when a run has ended.
/// - Parameters:
///   - text: the run at a glance.
///   - report: the report's path.
package func noticeJSON(
    _ run: RunIdentity, _ end: RunEnd, _ tally: RunTally, text: String, report: String
) -> String {
    var json = JSONText()
    json.object { json in
        json.field("text", text)
        json.field("job", run.job)
        json.field("run", run.id)
        json.field("status", end.status.rawValue)
        json.field("exit_status", Int(end.exitStatus))
        json.field("started", RFC3339.format(run.started, milliseconds: true))
        json.field("finished", RFC3339.format(end.finished, milliseconds: true))
        json.key("counts")
        json.counts(tally.counts)
        json.key("bytes")
        json.bytes(tally.bytes)
        json.field("report", report)
    }
    return String(decoding: json.bytes, as: UTF8.self)
}

/// What a run received, of ``countsJSON(_:_:)``; 0 for one that an earlier version wrote.
package func receivedBytes(inCounts json: String) -> Int64 {
    (try? JSONValue(parsing: Array(json.utf8)))?.integer("received") ?? 0
}
