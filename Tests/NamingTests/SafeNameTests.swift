import Testing

@testable import Naming

@Suite struct SafeNameTests {
    @Test(arguments: [
        ("report.pdf", "report.pdf"), ("../../etc/cron.d/x", "_.._etc_cron.d_x"), ("..\\..\\x", "_.._x"),
        ("/etc/passwd", "_etc_passwd"), ("\\\\host\\share", "__host_share"),
        ("a\0b\r\nc\u{1B}d\u{7F}\u{85}", "a_b__c_d__"),
        ("", ""), (".", ""), ("..", ""), ("...", ""), ("   ", ""), (" . . ", ""), (".bashrc", "bashrc"),
        ("-rf", "rf"), ("--help.txt", "help.txt"), ("a. . .", "a"), ("a\u{A0}", "a"), ("con", "_con"),
        ("NUL.txt", "_NUL.txt"), ("com1.tar.gz", "_com1.tar.gz"), ("COM¹", "_COM¹"), ("con .txt", "_con .txt"),
        ("console", "console"), ("Thumbs.db", "_Thumbs.db"), ("a<b>c:d\"e|f?g*h", "a_b_c_d_e_f_g_h"),
        ("gnp.\u{202E}exe", "gnp.exe"), ("a\u{200B}\u{FEFF}b", "ab"), ("cafe\u{301}", "café"),
        ("보고서 2026.hwp", "보고서 2026.hwp"), ("岡\u{3000}岡.txt", "岡\u{3000}岡.txt"), ("a\u{2028}b", "a_b"),
        ("x.{20D04FE0}", "x._20D04FE0}"), ("e\u{200B}\u{301}", "é"), ("👨‍👩‍👧.png", "👨‍👩‍👧.png"),
    ])
    func makesComponents(text: String, component: String) {
        #expect(Array(SafeName.component(text).utf8) == Array(component.utf8))
    }

    @Test func cutsBetweenCharacters() {
        #expect(SafeName.prefix("보고서", bytes: 7) == "보고")
        #expect(SafeName.prefix("보고서", bytes: 9) == "보고서")
        #expect(SafeName.prefix("ab cd", bytes: 3) == "ab")
        #expect(SafeName.prefix("👨‍👩‍👧x", bytes: 5) == "👨")
        let zalgo = "a" + String(repeating: "\u{301}", count: 500)
        #expect(SafeName.prefix(zalgo, bytes: 21).utf8.count == 21)
        #expect(SafeName.shortened(String(repeating: "x", count: 300), bytes: 240).utf8.count == 240)
        #expect(
            SafeName.shortened(String(repeating: "x", count: 300), bytes: 240)
                != SafeName.shortened(String(repeating: "x", count: 301), bytes: 240))
    }

    @Test(arguments: [("README.TXT", "readme.txt"), ("Straße", "STRASSE"), ("Σίσυφος", "ΣΊΣΥΦΟΣ"), ("É", "e\u{301}")])
    func foldsCase(left: String, right: String) {
        #expect(Array(SafeName.folded(left).utf8) == Array(SafeName.folded(right).utf8))
    }
}
