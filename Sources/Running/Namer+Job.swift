import Magic
import Model
import Naming
import Times

extension Namer {
    /// The namer of a run, with the tables of types and content that it needs.
    /// - Throws: what to install when one of them is missing.
    convenience init(of job: Job, in run: RunIdentity, zone: Zone) throws {
        let sniffer = ContentSniffer()
        try sniffer.load()
        self.init(
            rules: job.naming, job: job.name, run: run.id, runStart: run.started, zone: zone, types: try MIMETypes(),
            sniffer: sniffer)
    }
}
