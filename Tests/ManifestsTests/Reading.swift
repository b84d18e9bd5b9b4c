import Model

@testable import Manifests

/// `line:column message` of everything wrong with a manifest.
func problems(_ text: String, path: String = "/jobs/a.yaml") -> [String] {
    ManifestReader.read(text: Array(text.utf8), path: path).diagnostics.map { "\($0.line):\($0.column) \($0.message)" }
}

/// The same with the two required keys in the first two lines, so that `text` begins on line 3.
func problems(below text: String) -> [String] {
    problems("job: a\nstart: https://example.org/\n" + text)
}

func readJob(_ text: String, path: String = "/jobs/a.yaml") -> Job? {
    ManifestReader.read(text: Array(text.utf8), path: path).job
}

func readJob(below text: String) -> Job? { readJob("job: a\nstart: https://example.org/\n" + text) }
