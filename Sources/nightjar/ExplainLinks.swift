import Crawling
import HTML
import Model
import Reporting
import URLs

extension Explainer {
    /// The links of a page, feed, sitemap, listing or list of URLs.
    static let links = Explainer(
        name: "links", arguments: "FILE URL [CONTENT-TYPE]", counts: 2...3,
        answer: { (question, answer) throws(ExplainError) in
            let url = try pageURL(try question.required("url"))
            let page = try extractor(question).links(
                in: try question.content("html"), url: url, contentType: try question.text("content_type"),
                headers: headers(links: try question.texts("link")))
            answer.object { answer in
                answer.key("links")
                answer.array { answer in
                    for finding in page.findings(at: url) { write(finding, to: &answer) }
                }
            }
        },
        show: { arguments in
            let url = try pageURL(arguments[1])
            var extractor = LinkExtractor()
            extractor.keepsOmitted = true
            let page = extractor.links(
                in: try content(ofFile: arguments[0]), url: url, contentType: arguments.dropFirst(2).first)
            return page.findings(at: url).map { finding in
                let word = finding.skip == nil ? "link" : "skip"
                return
                    "\(word)  \(finding.source)  \(shown(finding.url))\(finding.skip.map { "  \(shown($0))" } ?? "")\n"
            }.joined()
        })
}

private func write(_ finding: LinkFinding, to answer: inout JSONText) {
    answer.object { answer in
        answer.field("url", finding.url)
        answer.field("from", finding.source)
        if let download = finding.download { answer.field("download", download) }
        if let reason = finding.skip {
            answer.field("skip", true)
            answer.field("reason", reason)
        }
    }
}

private func pageURL(_ text: String) throws(ExplainError) -> WebURL {
    guard let url = WebURL(text) else { throw ExplainError("'\(shown(text))' is no URL") }
    return url
}

private func extractor(_ question: Question) throws(ExplainError) -> LinkExtractor {
    var extractor = LinkExtractor(
        schemes: try question.texts("schemes"), attributes: try question.texts("attributes"))
    extractor.keepsOmitted = true
    extractor.isDecoded = try question.bytes("body_base64") == nil
    if let select = try question.text("select") {
        do throws(Selector.SyntaxError) { extractor.select = try Selector(select) } catch {
            throw ExplainError("'select': \(error.message), at character \(error.offset + 1)")
        }
    }
    return extractor
}

private func headers(links: [String]) -> HeaderFields {
    var headers = HeaderFields()
    for link in links { headers.append(name: "link", value: Array(link.utf8)) }
    return headers
}
