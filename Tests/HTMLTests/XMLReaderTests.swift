import HTML
import Testing

/// `<name a=b>`, `</>` and text, one after the other.
private func events(_ xml: String) -> (text: String, refuses: Bool) {
    var reader = XMLReader(Array(xml.utf8))
    var text = ""
    while let event = reader.next() {
        switch event {
        case .start(let tag):
            let attributes = reader.attributes.map {
                " \(reader.name($0.name))=\(String(decoding: reader.decodedValue($0), as: UTF8.self))"
            }
            text += "<\(reader.name(tag.name))\(attributes.joined())>"
        case .end(let name): text += "</\(reader.name(name))>"
        case .text(let run): text += String(decoding: reader.decoded(run), as: UTF8.self)
        }
    }
    return (text, reader.refusesEntities)
}

struct XMLReaderTests {
    @Test(arguments: [
        ("<?xml version='1.0'?><a><b c='1' d=\"2\"/>x</a>", "<a><b c=1 d=2></b>x</a>"),
        ("<a><![CDATA[<b>&amp;]]></a>", "<a><b>&amp;</a>"), ("<a><!-- <b> -- > --></a>", "<a></a>"),
        ("<a>&lt;&#65;&#x42;&eacute;&nope;</a>", "<a><ABé&nope;</a>"), ("<A:B/>", "<a:b></a:b>"),
        ("<a b='&amp;x&y=1'/>", "<a b=&x&y=1></a>"), ("a < b", "a < b"), ("<a><![CDATA[x", "<a>x"),
        ("<a <b>", "<a><b>"), ("<a b=c d>", "<a b=c>"), ("<?pi <x> ?><a/>", "<a></a>"), ("<", "<"), ("<a", "<a>"),
        ("<a b", "<a>"), ("<a b='", "<a b=>"), ("</a", "</a>"), ("<!", ""), ("<!DOCTYPE a [<!ENTITY", ""),
    ])
    func documentsAreRead(xml: String, text: String) { #expect(events(xml).text == text) }

    @Test(arguments: [
        ("<!DOCTYPE a [<!ENTITY e 'x y'>]><a>&e;</a>", "<a>x y</a>", false),
        ("<!DOCTYPE a SYSTEM \"http://h/>\"><a/>", "<a></a>", false),
        ("<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd>'>]><a>http://h/&e;x</a>", "<a>http://h/x</a>", true),
        ("<!DOCTYPE a [<!ENTITY e '&f;&f;'><!ENTITY f 'x'>]><a>&e;&f;</a>", "<a>x</a>", true),
        ("<!DOCTYPE a [<!ENTITY e '<b/>'>]><a>&e;</a>", "<a></a>", true),
        ("<!DOCTYPE a [<!ENTITY % p SYSTEM 'http://h/p'> %p; <!-- ]> -->]><a/>", "<a></a>", true),
    ])
    func entitiesExpandToNothingButAFewCharacters(xml: String, text: String, refuses: Bool) {
        #expect(events(xml) == (text, refuses))
    }

    @Test func laughsAreNotMultiplied() {
        let lines = (1...30).map { "<!ENTITY l\($0) '\(String(repeating: "&l\($0 - 1);", count: 10))'>" }
        let xml = "<!DOCTYPE a [<!ENTITY l0 'lol'>\(lines.joined())]><a>\(String(repeating: "&l30;", count: 1000))</a>"
        #expect(events(xml) == ("<a></a>", true))
    }

    @Test(arguments: [
        "<a ", "<a b=", "<!--", "<![CDATA[", "<?", "&", "<!DOCTYPE [", "<!DOCTYPE x [<!ENTITY a '", "</", "<a>",
    ])
    func hostileDocumentsCostLinearTime(piece: String) {
        let time = ContinuousClock().measure { _ = events(String(repeating: piece, count: 50_000)) }
        #expect(time < .seconds(10), "\(piece)")
    }
}
