import Model
import Naming
import Storing
import URLs

/// The last word on a visit.
extension NamingPass {
    func tell(_ visit: Visit, _ record: ItemRecord, _ naming: Naming?) async {
        if record.status == .duplicate, job.dedupe != .off, let bytes = record.bytes {
            await events.send(.deduplicated(bytes: bytes))
        }
        if case .failed? = naming, let error = record.error, let url = WebURL(visit.url) {
            await events.send(.itemFailed(url: url, error))
        }
        await events.send(.item(record))
    }

    func record(_ visit: Visit, _ naming: Naming?) -> ItemRecord {
        var record = ItemRecord(visit)
        if [.fetched, .notModified].contains(visit.state), let resource = visit.known {
            describe(&record, visit.state, resource, naming)
        }
        return record
    }

    private func describe(
        _ record: inout ItemRecord, _ state: Visit.State, _ resource: KnownResource, _ naming: Naming?
    ) {
        switch naming {
        case nil:
            record.status = .unchanged
            record.name = resource.name
            record.extension = resource.extension
            record.extensionSource = resource.extensionSource
            record.duplicateOf = resource.duplicateOf
        case .failed(let failure):
            record.status = .failed
            record.error = failure
        case .postponed:
            record.status = .skipped
            record.reason = "downloaded, but the run ended before it got its name; the next run gives it one"
        case .named(let chosen, let proposal, let isNamed, let isNew):
            // What was adopted, or came in a run that was killed, has its first name now although nothing came.
            let isOld = state == .notModified
            record.status = chosen.duplicateOf != nil ? .duplicate : isOld ? .unchanged : .downloaded
            record.name = isNamed ? chosen.name : nil
            record.extension = proposal.extension
            record.extensionSource = proposal.extensionSource
            record.duplicateOf = chosen.duplicateOf
            record.change = isNew ? .new : .changed
        }
    }
}
