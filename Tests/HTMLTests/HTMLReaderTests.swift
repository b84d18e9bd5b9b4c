import HTML
import Testing

/// A document's events as short texts: `<a href=x>`, `</a>`, `"text"`, a `~` before what is foreign.
func events(_ document: [UInt8]) -> [String] {
    var reader = HTMLReader(document)
    var found: [String] = []
    while let event = reader.next() {
        switch event {
        case .start(let tag):
            let attributes = reader.attributes.map { attribute in
                " \(String(decoding: document[attribute.name], as: UTF8.self))"
                    + "=\(String(decoding: reader.decodedValue(attribute), as: UTF8.self))"
            }
            found.append("<\(tag.isForeign ? "~" : "")\(reader.name(of: tag))\(attributes.joined())>")
        case .end(let tag): found.append("</\(reader.name(of: tag))>")
        case .text(let text):
            let decoded = String(decoding: reader.decoded(text), as: UTF8.self)
            if !decoded.isEmpty { found.append("\"\(decoded)\"") }
        }
    }
    return found
}

struct HTMLReaderTests {
    @Test(arguments: [
        ("<A HREF=x>y</A>", ["<a HREF=x>", "\"y\"", "</a>"]),
        ("<a href='x' href=y>", ["<a href=x href=y>"]),
        ("<a href=\"x\"title=y>", ["<a href=x title=y>"]),
        ("<a/href=x/>", ["<a href=x/>"]),
        ("<a =b=c d>", ["<a =b=c d=>"]),
        ("<a href = x>", ["<a href=x>"]),
        ("<a href=>x", ["<a href=>", "\"x\""]),
        ("a < b <3", ["\"a \"", "\"< b \"", "\"<3\""]),
        ("<", ["\"<\""]),
        ("</", ["\"</\""]),
        ("a</>b", ["\"a\"", "\"b\""]),
        ("</ a>b", ["\"b\""]),
        ("<a href=x", []),
        ("<a href=\"x>y", []),
        ("<?php echo '<a>' ?>b", ["\"' ?>b\""]),
        ("<!doctype html>a", ["\"a\""]),
        ("<!DOCTYPE x \"<a>\">b", ["\"\">b\""]),
    ])
    func tagsAreReadAsTheStandardSays(document: String, expected: [String]) {
        #expect(events(Array(document.utf8)) == expected)
    }

    @Test(arguments: [
        ("<!--<a>-->b", ["\"b\""]), ("<!-->b", ["\"b\""]), ("<!--->b", ["\"b\""]), ("<!--a--!>b", ["\"b\""]),
        ("<!--a--b-->c", ["\"c\""]), ("<!--<a>", []), ("<!---!>-->b", ["\"b\""]), ("<!--a->b-->c", ["\"c\""]),
        ("<![CDATA[<a>]]>b", ["\"]]>b\""]), ("<!a<b>c", ["\"c\""]),
    ])
    func commentsHoldNothing(document: String, expected: [String]) {
        #expect(events(Array(document.utf8)) == expected)
    }

    @Test(arguments: ["title", "textarea", "style", "xmp", "iframe", "noembed", "noframes", "script"])
    func rawTextHoldsNoTags(name: String) {
        let document = "<\(name)><a href=x></b></\(name)x></\(name.uppercased()) ><i>"
        #expect(
            events(Array(document.utf8)) == ["<\(name)>", "\"<a href=x></b></\(name)x>\"", "</\(name)>", "<i>"])
        #expect(events(Array("<\(name)><a>".utf8)) == ["<\(name)>", "\"<a>\""])
    }

    @Test(arguments: [
        ("<plaintext></plaintext><a>", ["<plaintext>", "\"</plaintext><a>\""]),
        ("<noscript><a></noscript>", ["<noscript>", "<a>", "</noscript>"]),
        (
            "<script><!--<script></script><a>--></script><b>",
            [
                "<script>", "\"<!--<script></script><a>-->\"", "</script>", "<b>",
            ]
        ),
        ("<script><!--<script>--></script><b>", ["<script>", "\"<!--<script>-->\"", "</script>", "<b>"]),
        ("<script><!--></script><b>", ["<script>", "\"<!-->\"", "</script>", "<b>"]),
        ("<script/><a></script>", ["<script>", "\"<a>\"", "</script>"]),
    ])
    func scriptsEndWhereTheStandardSays(document: String, expected: [String]) {
        #expect(events(Array(document.utf8)) == expected)
    }

    @Test(arguments: [
        ("<svg><![CDATA[<a>]]></svg>", ["<~svg>", "\"<a>\"", "</svg>"]),
        (
            "<svg><title><a></a></title><style><a></svg><style><a>",
            [
                "<~svg>", "<~title>", "<a>", "</a>", "</title>", "<~style>", "<~a>", "</svg>", "<style>", "\"<a>\"",
            ]
        ),
        ("<svg/><style><a></style>", ["<~svg>", "<style>", "\"<a>\"", "</style>"]),
        ("<svg><p><style><a>", ["<~svg>", "<p>", "<style>", "\"<a>\""]),
        ("<div><svg><g></div><style><a>", ["<div>", "<~svg>", "<~g>", "</div>", "<style>", "\"<a>\""]),
        ("<svg></div><style><a>", ["<~svg>", "</div>", "<~style>", "<~a>"]),
        (
            "<svg><foreignObject><style><a></style></foreignObject><style><a>",
            [
                "<~svg>", "<~foreignobject>", "<style>", "\"<a>\"", "</style>", "</foreignobject>", "<~style>", "<~a>",
            ]
        ),
        (
            "<math><mi><xmp><a></xmp></mi><mglyph><xmp><a>",
            [
                "<~math>", "<~mi>", "<xmp>", "\"<a>\"", "</xmp>", "</mi>", "<~mglyph>", "<~xmp>", "<~a>",
            ]
        ),
        (
            "<math><annotation-xml encoding=text/HTML><xmp><a>",
            [
                "<~math>", "<~annotation-xml encoding=text/HTML>", "<xmp>", "\"<a>\"",
            ]
        ),
        ("<svg><font><font color=x><xmp><a>", ["<~svg>", "<~font>", "<font color=x>", "<xmp>", "\"<a>\""]),
    ])
    func foreignContentHasItsOwnRules(document: String, expected: [String]) {
        #expect(events(Array(document.utf8)) == expected)
    }

    @Test(arguments: [
        ("<template><a></template><b>", ["</template>", "<b>"]),
        ("<template><template></template><a></template><b>", ["</template>", "<b>"]),
        ("<frameset><frame src=x><a><noframes><a></noframes>", ["<frameset>", "<frame src=x>"]),
        ("<p>x<frameset><a>", ["<p>", "\"x\"", "<frameset>", "<a>"]),
        ("<frame src=x>", []),
    ])
    func whatIsNoPartOfTheDocumentIsNotTold(document: String, expected: [String]) {
        #expect(events(Array(document.utf8)) == expected)
    }

    @Test(arguments: [
        ("&amp;&lt&notit;&notin;&#x41;&#65;&#128;&#0;&#xD800;&#x110000;", "&<¬it;∉AA€\u{FFFD}\u{FFFD}\u{FFFD}"),
        ("&;&#;&#x;&nonsense;&", "&;&#;&#x;&nonsense;&"), ("&NotEqualTilde;&Aacute", "≂̸Á"), ("a\r\nb\rc\0", "a\nb\nc"),
        ("&CounterClockwiseContourIntegral;", "∳"), ("&#99999999999999999999;", "\u{FFFD}"),
    ])
    func referencesInTextAreDecoded(text: String, expected: String) {
        #expect(events(Array("<p>\(text)".utf8)).dropFirst() == ["\"\(expected)\""])
    }

    @Test(arguments: [
        ("?a=b&copy=1&amp;c&lt;d&notit;&not", "?a=b&copy=1&c<d&notit;¬"), ("&copy;=&copy.", "©=©."),
        ("a\0b", "a\u{FFFD}b"),
    ])
    func referencesInAttributesKeepOldQueryStrings(value: String, expected: String) {
        var reader = HTMLReader(Array("<a href=\"\(value)\">".utf8))
        _ = reader.next()
        #expect(reader.attribute("href").map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test func hostileDocumentsTakeLinearTime() {
        let documents: [(String, Int)] = [
            ("<div>", 100_000), ("</div>", 500_000), ("<svg>", 100_000), ("<svg><g></x>", 100_000), ("<", 500_000),
            ("<!--", 500_000), ("<a b=\"", 200_000), ("<script><!--", 200_000), ("</script", 500_000), ("&", 500_000),
            ("<a x", 500_000), ("<svg><title>", 100_000), ("\0", 500_000), ("<textarea></text", 200_000),
        ]
        for (part, count) in documents {
            let clock = ContinuousClock()
            let document = [UInt8](String(repeating: part, count: count).utf8)
            let time = clock.measure {
                var reader = HTMLReader(document)
                while let event = reader.next() { if case .text(let text) = event { _ = reader.decoded(text) } }
            }
            #expect(time < .seconds(10), "\(part) \(count) times")
        }
    }
}
