import Archives
import Files
import Glibc
import Model

extension Failure {
    /// What went wrong with a bundle, as it is told to people.
    init(packing bundle: String, _ error: any Error) {
        let code: ErrorCode
        switch error {
        case let failure as Failure: code = failure.code
        case let error as SystemError: code = error.isDiskFull ? .diskFull : .io
        case let error as ArchiveError: code = error.code == ENOSPC || error.code == EDQUOT ? .diskFull : .io
        case is CancellationError: code = .cancelled
        default: code = .io
        }
        let reason = (error as? Failure)?.message ?? "\(error)"
        let advice = code == .diskFull ? "; free some space and pack again" : ""
        self.init(code, "bundle \(bundle) was not written: \(reason)\(advice)")
    }
}
