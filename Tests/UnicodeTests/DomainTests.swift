import Testing
import Unicode

struct DomainTests {
    @Test(arguments: [
        ("Bücher.example", "xn--bcher-kva.example"), ("faß.de", "xn--fa-hia.de"), ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
        ("-x.ß", "-x.xn--zca"), ("ab--ü", "xn--ab---3ra"), ("\u{AD}", ""), ("xn--bcher-kva", "xn--bcher-kva"),
        ("1.ي", "1.xn--mhb"), ("ＷＷＷ.example", "www.example"),
    ])
    func nameBecomesASCII(name: String, ascii: String) {
        #expect(domainToASCII(Array(name.utf8)).map { String(decoding: $0, as: UTF8.self) } == ascii)
    }

    @Test(arguments: [
        "xn--", "xn--a", "xn--ascii-", "\u{200D}.example", "יa", "\u{FFFD}", "xn--0000h", "xn--80ak6aa92e-",
    ])
    func wrongNameIsRefused(name: String) {
        #expect(domainToASCII(Array(name.utf8)) == nil)
    }

    @Test func malformedBytesAreRefused() {
        #expect(domainToASCII([0x61, 0xFF, 0x62]) == nil)
    }

    @Test func labelTooLongForDNSIsNoError() {
        let name = String(repeating: "ü", count: 300)
        #expect(domainToASCII(Array(name.utf8))?.starts(with: Array("xn--".utf8)) == true)
    }

    @Test func composedFormIsOneForm() {
        #expect("cafe\u{301}.jpg".nfc.utf8.elementsEqual("café.jpg".utf8))
        #expect("\u{1112}\u{1161}\u{11AB}".nfc.utf8.elementsEqual("한".utf8))
        #expect("plain".nfc == "plain")
        #expect("".nfc == "")
    }
}
