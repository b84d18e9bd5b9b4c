import Model
import Reporting
import Testing

@Suite struct WorkDisplayTests {
    @Test func rateAndTimeLeftFollowFromTheStart() {
        var display = WorkDisplay()
        let start = ContinuousClock.now
        func at(_ seconds: Int, _ done: Int64) -> String? {
            display.line(.working(Work(.packing, "1-zip", done: done, of: 100 << 20)), at: start + .seconds(seconds))
        }
        #expect(at(0, 0) == "packing 1-zip: 0 B of 100.0 MiB")
        #expect(at(5, 10 << 20) == "packing 1-zip: 10.0 MiB of 100.0 MiB, 2.0 MiB/s, 45.0 s left")
        #expect(at(6, 12 << 20) == "packing 1-zip: 12.0 MiB of 100.0 MiB, 2.0 MiB/s, 44.0 s left")
        // Begun again, as bags that count each other are.
        #expect(at(7, 0) == "packing 1-zip: 0 B of 100.0 MiB")
        #expect(display.line(.bundleOmitted(pack: "a", reason: "b")) == "")
        #expect(display.line(.bundleOmitted(pack: "a", reason: "b")) == nil)
        let next = display.line(.working(Work(.delivering, "a\u{1B}[2J", done: 1, of: 0)))
        #expect(next == "delivering a\\u{1b}[2J: 1 B")
    }
}
