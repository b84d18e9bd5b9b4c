import Files
import Glibc
import Model
import Reporting
import Running

/// `nightjar adopt`.
@Sendable func adoptMirror(_ invocation: Invocation) async throws -> Int32 {
    guard invocation.arguments.count == 2 else {
        throw UsageError("nightjar adopt takes a folder and a job, such as: nightjar adopt /srv/old-mirror reports")
    }
    let (path, name) = (invocation.arguments[0], invocation.arguments[1])
    guard let jobs = try invocation.loadJobs(named: [name], needsSecrets: false) else { return 2 }
    guard let job = jobs.first else { throw UsageError("there is no job '\(shown(name))'") }
    let mirror: Directory
    do { mirror = try Directory(path) } catch { throw UsageError("\(error)") }
    let applies = !invocation.has(.lookOnly)
    let adoption = try Adoption(of: mirror, job: job, list: try invocation[.list].map(readList), applies: applies)
    var (adopted, leftOut, failed) = (0, 0, 0)
    let isFree = try await adoption.run(below: invocation.rootFolder()) { line in
        switch line {
        case .adopted(let path, let url):
            adopted += 1
            if !applies { tell("would adopt  \(shown(path))  as \(shown(url))\n") }
        case .leftOut(let path, let reason):
            leftOut += 1
            tell("left out  \(shown(path))  \(shown(reason))\n")
        case .failed(let path, let failure):
            failed += 1
            printError("nightjar: \(shown(path)): \(shown(failure.message))\n")
        }
    }
    guard isFree else {
        printError("nightjar: job \(name) runs now; try again when it has ended\n")
        return 4
    }
    try printOutput(
        "\(applies ? "adopted" : "would adopt") \(shown(adopted, "file")), \(leftOut) left out, \(failed) failed; the "
            + "next run of \(name) asks the servers whether they changed, and names them\n")
    return failed == 0 ? 0 : 1
}

/// Lines of a URL, a tab and a path below the folder.
private func readList(_ path: String) throws -> [String: String] {
    let number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw UsageError("cannot read \(shown(path)): \(String(cString: strerror(errno)))") }
    defer { close(number) }
    var urls: [String: String] = [:]
    var wrong: Int?
    var count = 0
    var lines = InputLines(number)
    _ = lines.forEach(
        { line in
            count += 1
            guard let line, !line.isEmpty else { return }
            let parts = String(decoding: line, as: UTF8.self).split(separator: "\t", maxSplits: 1)
            guard parts.count == 2 else {
                wrong = wrong ?? count
                return
            }
            urls[String(parts[1])] = String(parts[0])
        }, pause: { true })
    if let wrong { throw UsageError("\(shown(path)):\(wrong): a line is a URL, a tab and a path below the folder") }
    return urls
}
