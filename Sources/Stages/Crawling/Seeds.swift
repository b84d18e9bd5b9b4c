package import Model
import Templates
package import Times
package import URLs

/// The start URLs of a run: what the templates of the manifest stand for today.
///
/// - Parameters:
///   - job: its templates, in order.
///   - seconds: the run's instant, since 1970.
///   - zone: the job's time zone, for `{date:...}`.
/// - Returns: each URL once, in order, at most 100,000 in all.
/// - Throws: a failure that names the first text that is no URL that is fetched, or a template that brings too many.
package func startURLs(of job: Job, at seconds: Double, in zone: Zone) throws(Failure) -> [WebURL] {
    var urls: [WebURL] = []
    var seen: Set<String> = []
    for template in job.start {
        for text in template.expandedStart(at: seconds, in: zone) {
            let url = try startURL(text, of: template)
            guard seen.insert(url.key).inserted else { continue }
            guard urls.count < mostStartURLs else {
                throw Failure(
                    .protocolError, "\(job.manifest): the start URLs are more than \(mostStartURLs); split the job.")
            }
            urls.append(url)
        }
    }
    return urls
}

private let mostStartURLs = 100_000

private func startURL(_ text: String, of template: Template) throws(Failure) -> WebURL {
    guard let url = WebURL(text) else {
        throw Failure(.protocolError, "start: \(text) is no URL; write it whole, as https://host/path.")
    }
    guard url.isFetchable else {
        let hint = url.hasOpaquePath ? "; did you mean https://\(text)?" : ""
        throw Failure(
            .protocolError,
            "start: \(url.displayed) has the scheme \(url.scheme), only http, https, ftp and sftp are fetched\(hint)")
    }
    return url
}
