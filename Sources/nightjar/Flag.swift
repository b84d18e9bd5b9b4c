/// One flag of the command line: name, value, meaning and where it counts, in one place. Parsing, help and the
/// documentation are made from this table.
struct Flag: Sendable {
    enum Name: String, Sendable, CaseIterable {
        case root, jobs, quiet, format, run, help, version, schema, reference, progress, due, at, json, batch, deep,
            rebuild, apply, list, again, release
        case diff
        case dryRun = "dry-run"
        case logFormat = "log-format"
        case jobsAtOnce = "jobs-at-once"
        case metrics, systemd, into, check
        case showValues = "show-values"
    }
    let name: Name
    let short: Character?
    /// How help calls the value; nil for a flag that takes none.
    let value: String?
    let meaning: String

    init(_ name: Name, short: Character? = nil, value: String? = nil, _ meaning: String) {
        self.name = name
        self.short = short
        self.value = value
        self.meaning = meaning
    }

    static let root = Flag(
        .root, value: "DIR",
        "where catalog, files, bundles and reports lie ($NIGHTJAR_ROOT, else "
            + "$XDG_DATA_HOME/nightjar)")
    static let jobs = Flag(
        .jobs, value: "DIR", "the folder of manifests ($NIGHTJAR_JOBS, else $XDG_CONFIG_HOME/nightjar/jobs)")
    static let quiet = Flag(.quiet, short: "q", "print nothing unless something failed")
    static let dryRun = Flag(.dryRun, short: "n", "as `nightjar plan` for each job")
    static let logFormat = Flag(.logFormat, value: "FORMAT", "the log on standard error: text (default) or json")
    static let progress = Flag(
        .progress, value: "WHEN",
        "a live view of the run on standard error: auto (default: on a terminal), always or never")
    static let format = Flag(.format, value: "FORMAT", "text (default), json or html")
    static let run = Flag(.run, value: "ID", "the run to show; the newest without it")
    static let schema = Flag(.schema, "print a JSON Schema (2020-12)")
    static let diff = Flag(.diff, value: "ID", "what the run shown has that this older one had not")
    static let reference = Flag(.reference, "print the reference of all manifest keys, as Markdown")
    static let due = Flag(.due, "only the jobs that are due by their schedule; nothing due is a silent success")
    static let jobsAtOnce = Flag(
        .jobsAtOnce, value: "N", "jobs that run at once, 1 to 64 (2); bounds per host and rates hold over all of them")
    static let metrics = Flag(
        .metrics, value: "FILE", "after each run write all jobs' last runs there for node_exporter's textfile collector"
    )
    static let systemd = Flag(.systemd, "units of systemd instead: a service, and a timer for each job")
    static let into = Flag(.into, value: "DIR", "with --systemd: write the units into that folder")
    static let check = Flag(
        .check, value: "AGE", "status 1, with their names, if any job had no success for so long (26h, 2d)")
    static let at = Flag(.at, value: "TIME", "as it would be at that time (RFC 3339); nothing is recorded")
    static let json = Flag(.json, "as JSON")
    static let batch = Flag(.batch, "read JSON lines on standard input and write one for each, in order")
    static let deep = Flag(.deep, "read all content back and hash it")
    static let rebuild = Flag(.rebuild, "make a lost or damaged catalog again from objects and reports, then verify")
    static let list = Flag(.list, value: "FILE", "lines of a URL, a tab and a path below the folder")
    static let apply = Flag(.apply, "do it; without it gc only shows what it would do")
    static let lookOnly = Flag(.dryRun, short: "n", "only look, change nothing")
    static let again = Flag(
        .again, value: "BUNDLE", "deliver that bundle to every target once more, over what is there")
    static let release = Flag(.release, "let go what an alarm (expect) holds back: what the run brought is right")
    static let showValues = Flag(.showValues, "show the values of cookies, which are secrets")
    static let help = Flag(.help, short: "h", "print this")
    static let version = Flag(.version, short: "V", "print the version")
}

/// A command: what it takes and what it does.
struct Command: Sendable {
    let name: String
    let arguments: String
    let meaning: String
    let flags: [Flag]
    let perform: @Sendable (Invocation) async throws -> Int32

    static let all: [Command] =
        [
            Command(
                name: "run", arguments: "[JOB or FILE...]",
                meaning: "Runs the jobs named, or all in the jobs folder.",
                flags: [.root, .jobs, .due, .jobsAtOnce, .dryRun, .quiet, .logFormat, .metrics, .progress, .help],
                perform: runJobs),
            Command(
                name: "check", arguments: "[FILE...]",
                meaning:
                    "Validates manifests, or all in the jobs folder; prints every mistake with file, line and column.",
                flags: [.jobs, .schema, .reference, .help], perform: checkManifests),
            Command(
                name: "plan", arguments: "JOB or FILE...",
                meaning: "Crawls but downloads nothing: what would be fetched, and why the rest is left out.",
                flags: [.root, .jobs, .help], perform: planJobs),
            Command(
                name: "due", arguments: "[JOB or FILE...]",
                meaning: "Shows which jobs are due by their schedule, and when each runs next.",
                flags: [.root, .jobs, .at, .json, .help], perform: showDue),
            Command(
                name: "report", arguments: "[JOB]",
                meaning:
                    "Shows a job's newest run, or each job's, or the run named; --schema prints the JSON Schema of reports.",
                flags: [.root, .jobs, .run, .diff, .format, .schema, .help], perform: showReport),
            Command(
                name: "status", arguments: "[JOB...]",
                meaning: "Shows the jobs that run now, and how each job's last run went.",
                flags: [.root, .jobs, .check, .json, .help], perform: showStatus),
            Command(
                name: "why", arguments: "URL or files/JOB/NAME",
                meaning: "Shows all that is known of a URL: pages, verdicts, names, objects, bundles.",
                flags: [.root, .json, .help], perform: showWhy),
            Command(
                name: "verify", arguments: "",
                meaning: "Checks objects, names, bundles and catalog against each other, and repairs what it can.",
                flags: [.root, .deep, .rebuild, .lookOnly, .quiet, .progress, .json, .help], perform: verifyStore),
            Command(
                name: "gc", arguments: "[JOB or FILE...]",
                meaning: "Applies the retention of manifests (keep), and removes what nothing refers to.",
                flags: [.root, .jobs, .apply, .quiet, .help], perform: collectGarbage),
            Command(
                name: "pack", arguments: "JOB or FILE...",
                meaning: "Packs what the store holds by the manifest, without fetching, and hands off what is owed.",
                flags: [.root, .jobs, .quiet, .progress, .help], perform: packJobs),
            Command(
                name: "handoff", arguments: "JOB or FILE...",
                meaning: "Delivers the bundles that are owed to the job's targets, the oldest first.",
                flags: [.root, .jobs, .again, .release, .quiet, .progress, .help], perform: handOffJobs),
            Command(
                name: "cookies",
                arguments: "import POOL FILE | export POOL | list [POOL] | clear POOL",
                meaning:
                    "Looks after the jars of cookies: a pool by its name, a job's own as job.<job>; FILE is a browser's "
                    + "cookies.txt, - standard input.",
                flags: [.root, .json, .showValues, .help], perform: manageCookies),
            Command(
                name: "explain", arguments: Explainer.all.map { "\($0.name) \($0.arguments)" }.joined(separator: " | "),
                meaning: "Answers one decision of the program from its inputs, for authors of manifests.",
                flags: [.batch, .help], perform: explain),
            Command(
                name: "adopt", arguments: "DIR JOB",
                meaning: "Takes the files of an older mirror into the store, so that the job need not begin from zero.",
                flags: [.root, .jobs, .list, .lookOnly, .help], perform: adoptMirror),
            Command(
                name: "crontab", arguments: "[JOB or FILE...]",
                meaning: "Prints the crontab lines that look after the jobs' schedules, or the units of systemd.",
                flags: [.root, .jobs, .systemd, .into, .help], perform: printCrontab),
            Command(
                name: "daemon", arguments: "[JOB or FILE...]",
                meaning:
                    "Stays and runs jobs at their times: for those without cron. SIGHUP reads the manifests again.",
                flags: [.root, .jobs, .jobsAtOnce, .quiet, .logFormat, .metrics, .help], perform: runDaemon),
        ]
}

/// What was typed, understood.
struct Invocation: Sendable {
    let command: Command
    let arguments: [String]
    let values: [Flag.Name: String]
    /// The environment, as it was at the start.
    let environment: [String: String]

    func has(_ flag: Flag) -> Bool { values[flag.name] != nil }
    subscript(flag: Flag) -> String? { values[flag.name] }
}

/// A command line that makes no sense, with what to do about it.
struct UsageError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}
