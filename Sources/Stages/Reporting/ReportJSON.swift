package import Model

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

    package mutating func counts(_ counts: RunCounts) {
        object { json in
            json.field("pages", counts.pages)
            json.field("links", counts.links)
            json.field("downloaded", counts.downloaded)
            json.field("unchanged", counts.unchanged)
            json.field("duplicate", counts.duplicate)
            json.field("skipped", counts.skipped)
            json.field("failed", counts.failed)
            json.field("gone", counts.gone)
        }
    }

    mutating func bytes(_ bytes: RunBytes) {
        object { json in
            json.field("received", bytes.received)
            json.field("stored", bytes.stored)
            json.field("deduplicated", bytes.deduplicated)
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
                    }
                }
            }
        }
    }
}

/// The counts as JSON, as the catalog keeps them.
package func countsJSON(_ counts: RunCounts) -> String {
    var json = JSONText()
    json.counts(counts)
    return String(decoding: json.bytes, as: UTF8.self)
}
