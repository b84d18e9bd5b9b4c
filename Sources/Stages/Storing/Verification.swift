import Files
import Lanes

/// Something of a store that is not as it should be, and what came of it.
package struct Finding: Sendable, Hashable {
    /// Below the root.
    package let path: String
    package let problem: String
    /// What was done, or what is to be done.
    package let remedy: String
    package let isRepaired: Bool
}

/// What a verification looked at and found.
package struct VerifyResult: Sendable {
    package var objects = 0
    package var names = 0
    package var bundles = 0
    /// Bytes that were read back.
    package var bytesRead: Int64 = 0
    /// Objects that the catalog does not know: a killed run left them, and gc removes them.
    package var orphans = 0
    /// In the order they were found, at most ``mostFindings``.
    package private(set) var findings: [Finding] = []
    /// Findings beyond those kept.
    package private(set) var more = 0

    package static let mostFindings = 10_000

    /// Contents whose fault was told, so that the names that lack them need not tell it again.
    var toldContents: Set<[UInt8]> = []

    package init() {}

    package mutating func add(_ finding: Finding) {
        if findings.count < Self.mostFindings { findings.append(finding) } else { more += 1 }
    }

    package var isClean: Bool { findings.isEmpty }
}

/// Holds objects, names, bundles and catalog against each other, and mends what can be mended without losing anything.
package struct Verifier: Sendable {
    package struct Options: Sendable {
        /// Content is read back and hashed.
        package var isDeep = false
        package var repairs = true
        package var threads = 1
        /// Seconds since 1970.
        package var now: Double
        /// Hears how many of how many bytes were read back; from any thread.
        package var progress: @Sendable (_ done: Int64, _ total: Int64) -> Void = { _, _ in }

        package init(now: Double) { self.now = now }
    }

    let store: Store
    let options: Options
    let pool: LanePool
    let meter: Meter

    package init(_ store: Store, _ options: Options) throws {
        self.store = store
        self.options = options
        pool = try LanePool("verify", threads: options.threads)
        meter = Meter(options.progress)
    }

    /// - Throws: what keeps it from looking on; what is merely wrong is a finding.
    package func run() async throws -> VerifyResult {
        var result = VerifyResult()
        let faults = try await store.catalog.faults(isDeep: options.isDeep)
        if let fault = faults.first {
            result.add(
                Finding(
                    path: "catalog.sqlite", problem: "damaged: \(fault)",
                    remedy: "run 'nightjar verify --rebuild', which makes it again from objects and reports",
                    isRepaired: false))
            return result
        }
        meter.expect(options.isDeep ? try await store.catalog.bytesToRead() : 0)
        // Whoever runs a job changes its names while we look; those jobs are only looked at.
        let locks = options.repairs ? try await lockJobs() : [:]
        defer { withExtendedLifetime(locks) {} }
        try await verifyObjects(&result, locks)
        for job in try await store.catalog.jobNames() {
            try await verifyNames(of: job, mayRepair: locks[job] != nil, &result)
        }
        try await verifyBundles(&result, locks)
        result.bytesRead = meter.done
        return result
    }

    private func lockJobs() async throws -> [String: FileLock] {
        var locks: [String: FileLock] = [:]
        for job in try await store.catalog.jobNames() {
            if case .held(let lock) = try await store.lock(job: job, note: "nightjar verify\n") { locks[job] = lock }
        }
        return locks
    }

    static func busy(_ job: String) -> String { "job \(job) runs now; verify again when it has ended" }
}
