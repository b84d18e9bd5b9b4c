import Glibc
import Reporting
import Running
import Storing
import Times

/// `nightjar verify`.
@Sendable func verifyStore(_ invocation: Invocation) async throws -> Int32 {
    guard invocation.arguments.isEmpty else {
        throw UsageError("nightjar verify checks the whole root; it takes no job")
    }
    let root = try invocation.rootFolder()
    if invocation.has(.rebuild) {
        guard !invocation.has(.lookOnly) else { throw UsageError("--rebuild and --dry-run do not go together") }
        guard try await rebuild(root, invocation) else { return 1 }
    }
    let store: Store
    do { store = try await Store.openExisting(root) } catch let error as StoreError {
        printError("nightjar: \(shown("\(error)"))\n")
        return 1
    }
    var options = Verifier.Options(now: currentTime())
    options.isDeep = invocation.has(.deep)
    options.repairs = !invocation.has(.lookOnly)
    options.threads = max(1, min(64, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    if showsProgress(invocation) {
        options.progress = { done, total in
            printError("verify: \(shown(bytes: done)) of \(shown(bytes: total)) read\n")
        }
    }
    let started = ContinuousClock.now
    let result = try await Verifier(store, options).run()
    let seconds = (ContinuousClock.now - started) / .seconds(1)
    if invocation.has(.json) {
        try printOutput(json(result))
    } else if !result.isClean || !invocation.has(.quiet) {
        try printOutput(text(result, isDeep: options.isDeep, seconds: seconds))
    }
    return result.isClean ? 0 : 1
}

/// Makes the catalog again.
/// - Returns: false, with the reason told, when it was not.
private func rebuild(_ root: String, _ invocation: Invocation) async throws -> Bool {
    let result: Rebuilder.Result
    do { result = try await Rebuilder.rebuild(root) } catch let refusal as Rebuilder.Refusal {
        printError("nightjar: \(shown("\(refusal)"))\n")
        // There was nothing to do, so what was asked for is so.
        if case .sound = refusal { return true }
        return false
    }
    for warning in result.warnings { printError("nightjar: \(shown(warning))\n") }
    if !invocation.has(.quiet), !invocation.has(.json) {
        let told = "\(shown(result.runs, "report")) and \(shown(result.items, "item"))"
        let aside = result.aside.map { "; what was there lies beside it as \($0)" } ?? ""
        let mended = result.mended > 0 ? "; \(shown(result.mended, "object")) came back from files" : ""
        try printOutput(
            result.isAddition
                ? "added \(told) to the catalog, which did not know them\(mended)\(aside)\n"
                : "rebuilt the catalog from \(shown(result.objects, "object")), \(told); validators were lost, so the "
                    + "next run asks for every file in full\(mended)\(aside)\n")
    }
    return true
}

/// Whether lines on how far a long command is go to standard error.
func showsProgress(_ invocation: Invocation) -> Bool {
    !invocation.has(.quiet) && invocation[.progress] != "never" && isatty(STDERR_FILENO) == 1
}

private func text(_ result: VerifyResult, isDeep: Bool, seconds: Double) -> String {
    var lines = result.findings.map { "\(shown($0.path)): \(shown($0.problem)); \(shown($0.remedy))" }
    if result.more > 0 { lines.append("and \(result.more) more") }
    let looked =
        "\(shown(result.objects, "object")), \(shown(result.names, "name")), \(shown(result.bundles, "bundle"))"
    let read = isDeep ? ", \(shown(bytes: result.bytesRead)) read back in \(shown(seconds: seconds))" : ""
    if result.orphans > 0 {
        lines.append("\(shown(result.orphans, "object")) that nothing refers to; 'nightjar gc' removes such")
    }
    if result.isClean {
        lines.append("verify: all is well: \(looked)\(read)")
    } else {
        let count = result.findings.count + result.more
        let open = result.findings.filter { !$0.isRepaired }.count + result.more
        lines.append(
            "verify: \(shown(count, "fault")), \(open == 0 ? "each dealt with" : "\(open) still open"): \(looked)\(read)"
        )
    }
    return lines.joined(separator: "\n") + "\n"
}

private func json(_ result: VerifyResult) -> String {
    var json = JSONText()
    json.object { json in
        json.field("objects", result.objects)
        json.field("names", result.names)
        json.field("bundles", result.bundles)
        json.field("bytes_read", result.bytesRead)
        json.field("orphans", result.orphans)
        json.key("findings")
        json.array { json in
            for finding in result.findings {
                json.object { json in
                    json.field("path", finding.path)
                    json.field("problem", finding.problem)
                    json.field("remedy", finding.remedy)
                    json.field("repaired", finding.isRepaired)
                }
            }
        }
        json.field("more", result.more)
    }
    json.endDocument()
    return String(decoding: json.bytes, as: UTF8.self)
}
