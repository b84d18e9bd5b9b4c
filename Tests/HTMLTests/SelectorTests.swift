import HTML
import Testing

/// The ids of the elements that a selector matches.
private func matches(_ selector: String, _ html: String) throws -> [String] {
    var matcher = SelectorMatcher(try Selector(selector))
    var reader = HTMLReader(Array(html.utf8))
    var found: [String] = []
    while let event = reader.next() {
        switch event {
        case .start(let tag):
            if matcher.start(tag, reader) {
                found.append(reader.attribute("id").map { String(decoding: $0, as: UTF8.self) } ?? "-")
            }
        case .end(let tag): matcher.end(tag, reader)
        case .text: break
        }
    }
    return found
}

private let page = """
    <html><body><main id=m class="Big wide"><p id=p1>x<p id=p2>y<a id=a1 class=download href=x.PDF>1</a>
    <div id=d lang=en-GB><a id=a2 href="http://h/x.zip" title="a b"></a></div></main>
    <ul id=u><li id=l1><li id=l2 class=on><a id=a3></a><li id=l3><ul><li id=l4></ul><li id=l5></ul>
    <table id=t><tr id=r1><td id=c1></div><a id=a4></a><td id=c2></table><br id=b><a id="a.5" data-x></a></body></html>
    """

struct SelectorTests {
    @Test(arguments: [
        ("a", "a1 a2 a3 a4 a.5"), ("A.download", "a1"), ("main a", "a1 a2"), ("main > a", ""),
        ("main > div > a", "a2"), ("#m.wide.Big", "m"), (".big", ""), ("li.on a, table a", "a3 a4"),
        ("ul > li", "l1 l2 l3 l4 l5"), ("ul > li:nth-child(2)", "l2"), ("#u > li:nth-child(odd)", "l1 l3"),
        ("#u > li:nth-child(2n)", "l2 l5"), ("#u > li:nth-child(-n+2)", "l1 l2"), ("li:first-child", "l1 l4"),
        ("li + li", "l2 l3 l5"), (".on ~ li", "l3 l5"), ("p + div", "d"), ("#a1 + div", ""), ("p ~ div", "d"),
        ("[href]", "a1 a2"), ("[href$='.pdf' i]", "a1"), ("[href$='.pdf']", ""), ("[href^=http]", "a2"),
        ("[href*=\"/h/\"]", "a2"), ("[title~=b]", "a2"), ("[lang|=en]", "d"), ("[class=on]", "l2"),
        ("a:not([href])", "a3 a4 a.5"), ("a:not(.download, [title])", "a3 a4 a.5"), ("#a\\.5", "a.5"),
        ("[data-x]", "a.5"), ("body > *", "m u t b a.5"), ("html > body > main", "m"), ("tr > td", "c1 c2"),
        ("#\\61 1", "a1"), ("main *:not(a)", "p1 p2 d"), ("p > a", "a1"),
    ])
    func elementsAreMatched(selector: String, ids: String) throws {
        #expect(try matches(selector, page).joined(separator: " ") == ids)
    }

    @Test func tagsThatAreLeftOutCount() throws {
        #expect(try matches("html > body > a", "<title>t</title><a id=x>") == ["x"])
        #expect(try matches("body > p:nth-child(2)", "<p id=a>1<p id=b>2") == ["b"])
    }

    @Test(arguments: [
        ("", 0, "a selector was expected"), ("a,", 2, "a selector was expected"), ("a >", 3, "a selector"),
        ("a[href", 1, "'[' is not closed"), ("a[href=", 7, "a name was expected"), ("a[href='x]", 7, "the quote"),
        ("a:hover", 1, ":hover is not supported"), ("a:last-child", 1, "depends on what follows"),
        ("a::before", 1, "pseudo-elements"), ("li:nth-child(x)", 13, "'x' is no position"),
        ("li:nth-child(2", 2, "'(' is not closed"), ("a.", 2, "a name was expected"), ("a $ b", 2, "'$'"),
        ("a:not(b", 1, "'(' is not closed"), ("a \\", 3, "a backslash"), ("a:nth-child", 1, "needs parentheses"),
        (Array(repeating: "a", count: 65).joined(separator: ","), 128, "more than 64 parts"),
    ])
    func mistakesArePointedAt(selector: String, offset: Int, message: String) throws {
        let error = #expect(throws: Selector.SyntaxError.self) { try Selector(selector) }
        #expect(error?.offset == offset && error?.message.contains(message) == true, "\(error.debugDescription)")
    }

    @Test func depthAndStrayTagsCostLinearTime() throws {
        let deep = String(repeating: "<div>", count: 20_000) + String(repeating: "</span></div>", count: 20_000)
        let time = try ContinuousClock().measure { _ = try matches("div div ~ p > a:not(.x)", deep) }
        #expect(time < .seconds(20))
    }
}
