import Crawling
package import Files
import Magic
package import Model
import Storing
import Times
import URLs

/// Takes the files of an older mirror into the store, so that a job need not begin from zero.
package struct Adoption: Sendable {
    /// What is told of a file, below the mirror's folder.
    package enum Line: Sendable {
        case adopted(path: String, url: String)
        case leftOut(path: String, reason: String)
        case failed(path: String, Failure)
    }

    private let job: Job
    private let mirror: Directory
    private let starts: [WebURL]
    /// URLs by path, where a list says so.
    private let list: [String: String]?
    /// False only looks.
    private let applies: Bool

    /// - Parameter list: the URL of each path; nil takes it from the path itself.
    package init(of mirror: Directory, job: Job, list: [String: String]?, applies: Bool) throws {
        self.job = job
        self.mirror = mirror
        self.list = list
        self.applies = applies
        starts = try startURLs(of: job, at: currentTime(), in: Zone(named: job.timezone))
    }

    private static let batch = 64
    private static let deepest = 100

    /// - Returns: false when the job runs now.
    package func run(below root: String, tell: (Line) -> Void) async throws -> Bool {
        let store = try await Store.open(root)
        guard case .held(let lock) = try await store.lock(job: job.name, note: "nightjar adopt\n") else { return false }
        defer { withExtendedLifetime(lock) {} }
        var folders = [""]
        while let folder = folders.popLast() {
            guard let directory = try open(folder, tell) else { continue }
            var found: [FoundFile] = []
            for name in try directory.names().sorted() {
                let path = folder.isEmpty ? name : "\(folder)/\(name)"
                guard let status = try directory.status(name) else { continue }
                if name.hasPrefix(".") {
                    tell(.leftOut(path: path, reason: "it is hidden"))
                    continue
                }
                if status.isDirectory, path.utf8.count(where: { $0 == UInt8(ascii: "/") }) < Self.deepest {
                    folders.append(path)
                } else if !status.isRegular || status.bytes == 0 {
                    tell(.leftOut(path: path, reason: status.isRegular ? "it is empty" : "it is no regular file"))
                } else {
                    switch match(path) {
                    case .failure(let refusal): tell(.leftOut(path: path, reason: refusal.reason))
                    case .success where isPageInstead(name, in: directory):
                        tell(
                            .leftOut(path: path, reason: "it is a page, such as one to log in, not what its name says"))
                    case .success(let url):
                        let modified = Double(status.modified)
                        found.append(
                            FoundFile(
                                path: path, key: url.key, lastModified: HTTPDate.format(modified), modified: modified))
                    }
                }
                if found.count >= Self.batch {
                    try await adopt(found, store, tell)
                    found = []
                }
            }
            try await adopt(found, store, tell)
        }
        return true
    }

    /// The mistake that mirrors are full of: what a server sent in place of a document.
    private func isPageInstead(_ name: String, in directory: Directory) -> Bool {
        let parts = name.lowercased().split(separator: ".")
        let mayBePage = ["html", "htm", "xhtml", "shtml", "xml", "php", "asp", "aspx", "jsp", "cgi"]
        guard parts.count > 1, let kind = parts.last, !mayBePage.contains(String(kind)),
            let file = try? directory.open(name)
        else { return false }
        return looksLikeHTML((try? file.readBeginning(4096)) ?? [])
    }

    /// Opens a folder of the mirror, and tells what of it nobody can adopt.
    /// - Returns: nil when it cannot be read.
    private func open(_ folder: String, _ tell: (Line) -> Void) throws -> Directory? {
        let directory: Directory
        let unreachable: [String]
        do {
            directory = try mirror.directory(folder)
            unreachable = try directory.foreignNames()
        } catch {
            if folder.isEmpty { throw error }
            tell(.failed(path: folder, Failure(.io, "\(error)")))
            return nil
        }
        for name in unreachable.sorted() {
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            tell(.leftOut(path: path, reason: "its name is no UTF-8; rename it, such as with convmv, and adopt again"))
        }
        return directory
    }

    private func adopt(_ found: [FoundFile], _ store: Store, _ tell: (Line) -> Void) async throws {
        guard !found.isEmpty else { return }
        guard applies else {
            for file in found { tell(.adopted(path: file.path, url: file.key)) }
            return
        }
        let words = try await store.adopt(found, from: mirror, job: job.name)
        for (file, word) in zip(found, words) {
            switch word {
            case .taken: tell(.adopted(path: file.path, url: file.key))
            case .known: tell(.leftOut(path: file.path, reason: "the job has content of \(file.key) already"))
            case .failed(let failure): tell(.failed(path: file.path, failure))
            }
        }
    }

    private struct Refusal: Error { let reason: String }

    private func match(_ path: String) -> Result<WebURL, Refusal> {
        if let list {
            guard let text = list[path] else { return .failure(Refusal(reason: "the list does not name it")) }
            guard let url = WebURL(text) else { return .failure(Refusal(reason: "'\(text)' is no URL")) }
            return .success(url)
        }
        guard let url = url(ofPath: path) else { return .failure(Refusal(reason: "no URL can be made of its path")) }
        let last = url.path.split(separator: "/").last.map { $0.lowercased() } ?? ""
        if ["index.html", "index.htm", "robots.txt"].contains(last) {
            return .failure(Refusal(reason: "a page, no download"))
        }
        let extensions = job.download.extensions
        if !extensions.isEmpty, !extensions.contains(where: { last.hasSuffix(".\($0)") }) {
            return .failure(Refusal(reason: "download.extensions does not name its kind"))
        }
        return .success(url)
    }

    /// `host/path` as `wget -x` lays it out, where a start URL has that host; else a path below the first start URL.
    private func url(ofPath path: String) -> WebURL? {
        let slash = path.firstIndex(of: "/")
        let first = slash.map { path[..<$0] } ?? ""
        for start in starts {
            guard let host = start.host, let slash else { continue }
            let authority = start.port.map { "\(host):\($0)" } ?? host
            if first == host || first == authority {
                return WebURL("\(start.scheme)://\(authority)/\(escaped(path[path.index(after: slash)...]))")
            }
        }
        guard let start = starts.first else { return nil }
        return WebURL("./\(escaped(path[...]))", base: start)
    }

    /// A path as a URL holds it. The first `?` begins the query, as wget writes it into names.
    private func escaped(_ path: Substring) -> String {
        var text = ""
        var isQuery = false
        for byte in path.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                byte < 0x80 && (scalar.properties.isAlphabetic || byte >= 0x30 && byte <= 0x39)
                || "-._~!$&'()*+,;=:@/".unicodeScalars.contains(scalar)
            if isPlain || byte == UInt8(ascii: "?") && !isQuery {
                text.unicodeScalars.append(scalar)
                isQuery = isQuery || byte == UInt8(ascii: "?")
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return text
    }
}
