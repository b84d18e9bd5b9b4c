import Model
import Testing

@testable import Manifests

@Suite struct KeepTests {
    @Test func valuesAreRead() throws {
        let job = try #require(
            readJob(
                below: """
                    expect: { min-items: 3, max-drop: 12.5%, max-failed: 5%, max-delete: 20 }
                    keep: { bundles: 14, reports: 90d, versions: 0, gone: 30d }
                    """))
        #expect(job.expect.minItems == 3 && job.expect.maxDrop == 12.5)
        #expect(job.expect.maxFailed == .percent(5) && job.expect.maxDelete == .count(20))
        #expect(job.keep.bundles == 14 && job.keep.reports == .seconds(90 * 86400))
        #expect(job.keep.versions == 0 && job.keep.gone == .seconds(30 * 86400))
    }

    @Test(arguments: [
        "expect: { max-drop: 50 }", "expect: { max-drop: 101% }", "expect: { max-drop: -1% }",
        "expect: { max-drop: % }",
        "expect: { max-failed: -1 }", "expect: { max-failed: 1.5 }", "expect: { max-failed: 1.2.3% }",
        "expect: { max-failed: few }", "keep: { bundles: 0 }", "keep: { reports: 1m }", "keep: { gone: 5 }",
    ])
    func whatIsNoBoundIsRefused(text: String) {
        #expect(problems(below: text).count == 1, "\(problems(below: text))")
    }
}
