import Testing

struct MetaAndStyleTests {
    @Test(arguments: [
        ("0;url=x", "x"), ("5; URL = x", "x"), ("0,x", "x"), ("0 x", "x"), (".5;url='x y'z", "x%20y"),
        ("0;url=\"x", "x"),
        ("0.5.5;url=x", "x"), ("0;u=x", "u=x"), ("0;urlx", "urlx"), ("0;url x", "url%20x"), (" 1 ; url=x", "x"),
        ("0; url=\nhttps://other.example/", "https://other.example/"),
    ])
    func aRefreshNamesItsTarget(content: String, expected: String) {
        let html = "<meta http-equiv=refresh content=\"\(content.replacing("\"", with: "&quot;"))\">"
        let full = expected.hasPrefix("https:") ? expected : "https://h.example/d/\(expected)"
        #expect(links(html) == ["meta[refresh] \(full)"])
    }

    @Test(arguments: ["0", "", "x;url=y", "-1;url=y", "5x;url=y", "\u{A0}0;url=y", "0\u{A0};url=y", "٥; url=y"])
    func aRefreshWithoutATargetIsNone(content: String) {
        #expect(links("<meta http-equiv=refresh content=\"\(content)\">") == [])
    }

    @Test(arguments: [
        ("a{b:url(x)}", ["x"]), ("a{b:URL( 'x' )}", ["x"]), ("a{b:url(\"x\"),url(y)}", ["x", "y"]),
        ("/* url(x) */a{b:url(y)}", ["y"]), ("a{b:'url(x)'}", []), ("a{b:url(x y)}c{d:url(z)}", ["z"]),
        ("a{b:myurl(x)}", []), ("a{b:u\\72l(x)}", ["x"]), ("a{b:url(x\\)y)}", ["x)y"]), ("a{b:url(x", ["x"]),
        ("a{b:url()}", []), ("a{b:url(\"x\ny\")}", []), ("@import url(x.css);", ["x.css"]),
    ])
    func styleSheetsGiveTheirAddresses(css: String, expected: [String]) {
        #expect(links("<style>\(css)</style>") == expected.map { "style[url] https://h.example/d/\($0)" })
    }

    @Test(arguments: [
        ("a", ["a"]), ("a 1x, b 2x", ["a", "b"]), ("a,b", ["a,b"]), ("a, b", ["a", "b"]), ("a 1x 2x, b", ["b"]),
        ("a 1w 1h, b", ["a", "b"]), ("a 1h", []), ("a -1x", []), ("a 0w", []), ("a 1.5e1x", ["a"]), ("a +1x", []),
        ("a (1x, b 2x), c", ["c"]), (",,,a", ["a"]), ("a,,, b", ["a", "b"]), (",", []), ("a .5x", ["a"]), ("a 1.x", []),
    ])
    func setsOfImagesGiveTheirCandidates(srcset: String, expected: [String]) {
        #expect(links("<img srcset='\(srcset)'>") == expected.map { "img[srcset] https://h.example/d/\($0)" })
    }
}
