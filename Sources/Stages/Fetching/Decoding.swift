import Codings
import Files
import HTTP
import Model
import Synchronization
import URLs

extension Fetcher {
    /// A page's body without the codings that it came in.
    func page(_ body: [UInt8], _ codings: [ContentCoding], _ attempt: Attempt) async -> Ending {
        guard !codings.isEmpty else { return Ending(.page(body: body)) }
        let limit = Int64(attempt.policy.maxPageBytes)
        let most = min(limit, rules.maxDecoded)
        let decoded = await parts.run { () -> Result<[UInt8], CodingError> in
            do {
                let decoder = try BodyDecoder(codings, limit: most)
                var content: [UInt8] = []
                try body.withUnsafeBytes { try decoder.decode($0) { content.append(contentsOf: $0) } }
                try decoder.finish()
                return .success(content)
            } catch let error as CodingError { return .failure(error) } catch { return .success([]) }
        }
        switch decoded {
        case .success(let content): return Ending(.page(body: content))
        case .failure(let error): return ending(error, attempt, refused: nil)
        }
    }

    /// What becomes of a whole item: a coded one is decoded into another file, and the coded one goes.
    func published(_ sink: PartSink, _ part: PartFile, _ attempt: Attempt) async -> Ending {
        let codings = sink.codings
        guard !codings.isEmpty else { return Ending(.item(part)) }
        let plain = nextSink()
        plain.begin(nil, claim: nil, at: 0)
        let limit = min(rules.maxDecoded, attempt.policy.maxItemBytes ?? .max)
        let isCancelled = Flag()
        let failure = await withTaskCancellationHandler {
            await parts.run { () -> (any Error)? in
                do {
                    try sink.decode(codings, limit: limit, into: plain, isCancelled: { isCancelled.isSet })
                    return nil
                } catch {
                    plain.discard()
                    return error
                }
            }
        } onCancel: {
            isCancelled.set()
        }
        switch failure {
        case nil:
            guard let content = plain.part else { return Ending(Failure(.io, "the decoded body was not kept")) }
            await parts.discard(sink)
            return Ending(.item(content))
        case let error as CodingError: return ending(error, attempt, refused: part)
        case let error as HTTPError: return Ending(Failure(error))
        case .some(let error): return Ending(Failure(.io, "\(error)"))
        }
    }

    private func ending(_ error: CodingError, _ attempt: Attempt, refused: PartFile?) -> Ending {
        let host = attempt.chain.current.host ?? ""
        let code: ErrorCode =
            switch error.kind {
            case .unsupported: .protocolError
            // A body that announces no length may just have been cut on its way.
            case .cut: .truncated
            case .damaged: .damaged
            case .tooLarge: .tooLarge
            }
        var ending = Ending(.failed(Failure(code, "\(host) sent a coded body: \(error)"), refused: refused))
        ending.isWorthRetrying = error.kind == .cut
        // A beginning and a rest may each be right and not fit.
        ending.startsOver = error.kind != .tooLarge && attempt.resumedFrom != nil
        return ending
    }
}

extension PartSink {
    /// Writes the content of this whole body without its codings into another sink, and ends that.
    /// - Throws: `CodingError`, `HTTPError`, `SystemError`.
    fileprivate func decode(
        _ codings: [ContentCoding], limit: Int64, into plain: PartSink, isCancelled: () -> Bool
    ) throws {
        let file = try directory.open(name)
        let decoder = try BodyDecoder(codings, limit: limit)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
        defer { buffer.deallocate() }
        while true {
            guard !isCancelled() else { throw HTTPError(.cancelled, "stopped before it was complete") }
            let count = try file.read(into: buffer)
            if count == 0 { break }
            try decoder.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { try plain.write(Array($0)) }
        }
        try decoder.finish()
        try plain.finish()
    }
}
