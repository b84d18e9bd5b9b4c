import Digests
import Files
import HandingOff
import HTTP
import Manifests
import Model
import Storing
import Times
import URLs

/// Delivers what a job owes, the oldest bundle first, and keeps the ledger of what arrived.
struct HandoffPass: Sendable {
    let job: Job
    let store: Store
    let events: RunEvents
    let environment: [String: String]
    /// A bundle that goes out whatever holds the others, and replaces what is at the target.
    var again: String?

    /// - Returns: how many hand-offs failed.
    func run() async throws -> Int {
        guard !job.handoffs.isEmpty else { return 0 }
        let owed = try await store.catalog.owed(by: job.name)
        let hold = again == nil ? try await store.catalog.handoffHold(of: job.name) : nil
        var unreachable: Set<String> = []
        var couriers: [String: Courier] = [:]
        var failed = 0
        for debt in owed where again.map({ debt.bundle.isCalled($0) }) ?? true {
            guard let rules = job.handoffs.first(where: { $0.to == debt.target }) else {
                await events.warn(
                    "handoff-unnamed",
                    "\(debt.bundle.record.path) waits for \(debt.target), which the manifest no longer names; "
                        + "'nightjar handoff \(job.name) --again \(debt.bundle.record.path)' sends it to those it names"
                )
                continue
            }
            if let hold {
                await tell(debt, .held, Failure(.cancelled, "held since run \(hold.run) collapsed: \(hold.reason)"))
            } else if Task.isCancelled || unreachable.contains(rules.to) {
                // The next run begins with it; a target that nobody reaches is not waited for again and again.
                if unreachable.contains(rules.to) { failed += 1 }
                await tell(debt, .pending, nil)
            } else {
                let failure = try await deliver(debt, rules, &couriers)
                if let failure, failure.code != .cancelled { failed += 1 }
                if let failure, Self.unreached.contains(failure.code) { unreachable.insert(rules.to) }
            }
        }
        return failed
    }

    /// These say that it would fare no better with the next bundle.
    private static let unreached: Set<ErrorCode> = [.dns, .connect, .tls, .timeout, .login]

    /// - Returns: why it failed; nil when the bundle is there.
    private func deliver(
        _ debt: OwedBundle, _ rules: HandoffRules, _ couriers: inout [String: Courier]
    ) async throws -> Failure? {
        do {
            let courier = try couriers[rules.to] ?? Courier(to: destination(rules))
            couriers[rules.to] = courier
            let proof = try await watching(courier, debt) {
                try await courier.deliver(
                    parcel(debt), replaces: again != nil, progress: debt.progress,
                    keep: { [store] progress in
                        try await store.catalog.keep(progress, ofHandoffOf: debt.number, to: debt.target)
                    })
            }
            try await store.catalog.record(
                handoffOf: debt.number, to: debt.target, failure: nil, at: currentTime())
            if proof == .accepted {
                await events.warn(
                    "handoff-unverified",
                    "\(rules.to) took \(debt.bundle.record.path) but does not tell what it has, so neither size nor "
                        + "digest could be verified")
            }
            await tell(debt, .delivered, nil)
            return nil
        } catch let failure as Failure {
            if failure.code == .cancelled {
                await tell(debt, .pending, nil)
                return failure
            }
            try await store.catalog.record(
                handoffOf: debt.number, to: debt.target, failure: failure, at: currentTime())
            await events.warn(
                "handoff-failed",
                "\(debt.bundle.record.path) was not delivered: \(failure.message); the next run tries again")
            await tell(debt, .failed, failure)
            return failure
        }
    }

    private func tell(_ debt: OwedBundle, _ status: HandoffRecord.Status, _ error: Failure?) async {
        let record = HandoffRecord(
            to: debt.target, status: status, time: RFC3339.format(currentTime()), error: error)
        await events.send(.handoff(debt.bundle.record, record))
    }

    private func parcel(_ debt: OwedBundle) async throws -> Parcel {
        let record = debt.bundle.record
        guard let sha256 = bytes(hex: record.sha256) else {
            throw Failure(.io, "the ledger has no digest of \(record.path)")
        }
        return Parcel(
            folder: try await store.folder("bundles/\(job.name)"), name: debt.bundle.name, bytes: record.bytes,
            sha256: sha256, companions: debt.bundle.companions)
    }

    /// Fills the secrets in.
    private func destination(_ rules: HandoffRules) throws(Failure) -> Destination {
        let credentials = rules.credentials
        func value(_ secret: Secret?) throws(Failure) -> String? {
            guard let secret else { return nil }
            do { return try Secrets.value(of: secret, environment: environment) } catch {
                throw Failure(.login, "handoff.credentials for \(rules.to): \(error.message)")
            }
        }
        var destination = Destination(rules)
        switch credentials.user {
        case .plain(let user): destination.user = user
        case .secret(let secret): destination.user = try value(secret)
        case nil: break
        }
        destination.password = try value(credentials.password)
        destination.bearer = try value(credentials.bearer)
        destination.keyPassphrase = try value(credentials.passphrase)
        destination.sessionToken = try value(credentials.sessionToken)
        if rules.kind == .s3, credentials.user == nil, credentials.password == nil {
            destination.user = environment["AWS_ACCESS_KEY_ID"]
            destination.password = environment["AWS_SECRET_ACCESS_KEY"]
            destination.sessionToken = environment["AWS_SESSION_TOKEN"]
            guard destination.user != nil, destination.password != nil else {
                throw Failure(
                    .login,
                    "\(rules.to): no credentials; give handoff.credentials or set AWS_ACCESS_KEY_ID and "
                        + "AWS_SECRET_ACCESS_KEY")
            }
        }
        let server = rules.kind == .s3 ? rules.endpoint ?? "https://s3.\(rules.region).amazonaws.com" : rules.to
        if rules.kind != .folder, rules.kind != .sftp, let url = WebURL(server), let host = url.host {
            destination.proxy = ProxyRules { environment[$0] }.proxy(scheme: url.scheme, host: "\(host)")
        }
        return destination
    }

    /// Tells twice a second how far a delivery is.
    private func watching<Result: Sendable>(
        _ courier: Courier, _ debt: OwedBundle, _ work: () async throws -> Result
    ) async throws -> Result {
        let (name, bytes) = (debt.bundle.name, debt.bundle.record.bytes)
        let watch = Task { [events] in
            while !Task.isCancelled {
                try await Task.sleep(for: .milliseconds(500))
                await events.send(.working(Work(.delivering, name, done: courier.sentBytes, of: bytes)))
            }
        }
        defer { watch.cancel() }
        return try await work()
    }
}

extension WrittenBundle {
    /// Whether that is its path below the root, or its name.
    fileprivate func isCalled(_ name: String) -> Bool {
        record.path.utf8.elementsEqual(name.utf8) || self.name.utf8.elementsEqual(name.utf8)
    }
}
