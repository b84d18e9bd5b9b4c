/// What one target may import, and why; the order is that of the data.
struct Arrow {
    let target: String
    /// Below the root of the repository.
    let folder: String
    let imports: Set<String>
    let reason: String
}

/// Modules of the toolchain that any target may import.
let systemModules: Set<String> = ["Glibc", "Synchronization"]

/// The C libraries, and the shims for what Swift cannot call.
let cModules: Set<String> = [
    "CCurl", "CXML", "CArchive", "CSQLite", "CCrypto", "CYAML", "CMagic", "CICU", "CPSL", "CZlib", "CBrotli",
    "CZstd", "CShims",
]

private func library(_ target: String, _ imports: Set<String>, _ reason: String) -> Arrow {
    Arrow(target: target, folder: "Sources/Libraries/\(target)", imports: imports, reason: reason)
}

private func stage(_ target: String, _ imports: Set<String>, _ reason: String) -> Arrow {
    Arrow(
        target: target, folder: "Sources/Stages/\(target)", imports: imports.union(["Model", "URLs"]), reason: reason)
}

private func part(_ target: String, _ imports: Set<String>, _ reason: String) -> Arrow {
    Arrow(target: target, folder: "Sources/\(target)", imports: imports, reason: reason)
}

/// Every Swift target of the program. An arrow that is not here needs a reason first, and then a line here.
let arrows: [Arrow] = [
    library("Lanes", ["CShims"], "threads need a name, which is a variadic or GNU call"),
    library("Files", ["CShims"], "openat is variadic"),
    library("Digests", ["CCrypto"], "the one door to libcrypto"),
    library("Database", ["CSQLite", "CShims"], "the one door to SQLite"),
    library("Unicode", ["CICU", "CShims"], "the one door to ICU"),
    library("URLs", ["Unicode", "CPSL"], "hosts are international, and domains end in public suffixes"),
    library(
        "Cookies", ["URLs", "Times", "Files", "Lanes"],
        "cookies belong to hosts and end at times; a jar is a file that several runs share"),
    library(
        "HTTP", ["CCurl", "CShims", "Lanes", "Times"],
        "the one door to libcurl, whose loop has a thread of its own; files by FTP get a date like others"),
    library("HTML", [], "a tokenizer is pure computing"),
    library("JSON", [], "a parser is pure computing"),
    library("Archives", ["CArchive", "CShims"], "the one door to libarchive"),
    library(
        "Containers", ["CZlib", "Archives"], "the one door to zlib, and libarchive's decoders by theirs"),
    library("Brotli", ["CBrotli"], "the one door to libbrotli"),
    library("Zstandard", ["CZstd"], "the one door to libzstd"),
    library("Codings", ["Containers", "Brotli", "Zstandard"], "content codings are zlib's, libbrotli's and libzstd's"),
    library("YAML", ["CYAML"], "the one door to libyaml"),
    library("Magic", ["CMagic"], "the one door to libmagic"),
    library("Processes", ["CShims"], "pipes that nobody else inherits are made by a GNU call"),
    library("Times", [], "calendar and zones are pure computing"),
    library("Templates", ["Times"], "date-stamps are made from times"),
    library("Cron", ["Times"], "occurrences are local times of a zone"),

    part("Model", ["URLs", "Templates"], "values that pass between stages; they do nothing, so they need nobody"),

    stage(
        "Manifests", ["YAML", "HTML", "JSON", "Files", "Templates", "Times", "Cron", "Digests"],
        "files become typed rules; templates, zones, schedules and patterns are checked where they are written"),
    stage("Scheduling", ["Cron", "Times"], "what is due is computed from schedules and starts; no clock is asked"),
    stage(
        "Crawling", ["HTML", "JSON", "Containers", "Unicode", "Templates", "Times"],
        "a machine of responses in and requests out, no I/O"),
    stage(
        "Fetching", ["HTTP", "Cookies", "Files", "Digests", "Times", "Lanes", "Codings"],
        "bodies stream to files and are hashed on the way; what earlier runs left is read again beside"),
    stage(
        "Naming", ["Magic", "Templates", "Times", "Unicode", "Digests"],
        "names are computed from heads and first bytes; nothing is written"),
    stage("Storing", ["Database", "Files", "Lanes", "Digests"], "objects, names and the catalog of both"),
    stage(
        "Packing", ["Archives", "Files", "JSON", "Lanes", "Digests", "Templates", "Times", "Processes"],
        "objects become bundles with checksums; gpg and minisign encrypt and sign them"),
    stage(
        "HandingOff", ["HTTP", "Files", "Lanes", "Digests"],
        "bundles go to folders, servers and stores, and are verified there"),
    stage("Reporting", ["Files", "JSON", "Lanes", "Times", "Unicode"], "events become JSON, text and log"),

    part(
        "Running",
        [
            "Model", "URLs", "Manifests", "Scheduling", "Crawling", "Fetching", "Naming", "Storing", "Packing",
            "HandingOff", "Reporting", "Lanes", "Files", "Times", "Cookies", "HTTP", "HTML", "JSON", "Digests",
            "Templates", "Magic", "Containers", "Processes",
        ], "the one place where stages meet"),
    part(
        "nightjar",
        [
            "Running", "Manifests", "Scheduling", "Crawling", "Fetching", "Naming", "Storing", "Reporting", "Model",
            "URLs",
            "JSON",
            "HTML",
            "Archives", "Cookies", "Digests", "Files", "Lanes", "Cron", "Magic", "Processes", "Templates", "Times",
            "CShims",
        ],
        "flags become one command; it composes and prints"),
    Arrow(
        target: "nightjar-bench", folder: "Sources/bench",
        imports: [
            "Crawling", "Naming", "Storing", "Packing", "Digests", "Model", "URLs", "Cron", "Files", "Magic",
            "Templates", "Times",
        ],
        reason: "pure computing, the catalog and packing are measured without the program around them"),
]
