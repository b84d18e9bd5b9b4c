import Testing
import URLs

@Suite struct ParameterMaskTests {
    private let mask = ParameterMask(["Ticket", "u id"])

    @Test(arguments: [
        ("https://h/a?ticket=1&x=2", "https://h/a?ticket=***&x=2"),
        ("https://h/a?x=2&TICKET=a=b#f", "https://h/a?x=2&TICKET=***#f"),
        (
            "tried https://h/a?ticket=1, then \"https://h/b?u%20id=7\"",
            "tried https://h/a?ticket=*** then \"https://h/b?u%20id=***\""
        ),
        ("https://h/a?tickets=1&xticket=2", "https://h/a?tickets=1&xticket=2"),
        ("ticket=1 is no parameter", "ticket=1 is no parameter"), ("https://h/?ticket=", "https://h/?ticket=***"),
        ("", ""),
    ])
    func valuesAreHidden(text: String, shown: String) { #expect(mask.masked(text) == shown) }
}
