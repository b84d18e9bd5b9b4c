import Digests
import Model
import Storing
import Times
import URLs

extension ItemRecord {
    /// What the catalog has of a visit; the name of content that came is still to be told.
    init(_ visit: Visit) {
        self.init(url: WebURL.displayed(visit.url), status: .skipped)
        finalURL = visit.finalURL.map(WebURL.displayed)
        referrer = visit.referrer.map(WebURL.displayed)
        httpStatus = visit.httpStatus
        redirects = visit.redirects.map(WebURL.displayed)
        attempts = visit.attempts
        resumedFrom = visit.resumedFrom
        started = visit.started.map { RFC3339.format($0, milliseconds: true) }
        seconds = visit.seconds
        contentType = visit.contentType
        if case .final(let status) = visit.state {
            self.status = status
            reason = visit.reason
            error = visit.failure
            stale = status == .failed && visit.known?.name != nil
            return
        }
        guard let resource = visit.known else { return }
        contentType = resource.contentType
        bytes = resource.content.bytes
        sha256 = hex(resource.content.sha256)
    }
}
