import Model
import YAML

extension ManifestTable {
    /// Who is told of runs.
    static let telling: [ManifestKey] = [
        .entries(
            "notify", "a list of { on, and one of command, post, ping, mail }", default: "none",
            "Whom to tell of a run; what cannot be told is a warning, never a failure",
            begin: { node, reading in
                reading.draft.notice = NoticeDraft()
                reading.draft.notice.position = node.position
            }, end: { _, reading in reading.endNotice() }),
        .key(
            "notify[].on", .choice(), \.notice.occasion, default: "failure",
            "When: failure (the run did not succeed), always, or change (something new or gone, or another status than "
                + "the run before); a ping takes none"),
        .key(
            "notify[].command", .command, \.notice.command, default: "none",
            "A program with its arguments, run without a shell; NIGHTJAR_REPORT and standard input hold the report's "
                + "path, NIGHTJAR_JOB, _RUN, _STATUS and _EXIT_STATUS the rest"),
        .key(
            "notify[].post", .webAddress, \.notice.post, default: "none",
            "A URL, or a secret that holds it, that gets a JSON object: text, job, run, status, counts, bytes, report"),
        .key(
            "notify[].ping", .webAddress, \.notice.ping, default: "none",
            "A health-check URL, or a secret that holds it: /start is asked for when the run starts, the URL itself when "
                + "it succeeded, /fail otherwise"),
        .key(
            "notify[].mail", .list(of: .mailAddress, named: "a list of mail addresses"), \.notice.mail,
            default: "none", "Who gets a mail, by the system's sendmail"),
        .key(
            "notify[].timeout", .duration(.seconds(1) ... .seconds(3600), "1s to 1h"), \.notice.timeout,
            default: "1m", "Longest time of one try; a command is killed then"),
        .key(
            "metrics", .path, \.metrics, default: "none",
            "A file that holds the job's last run for node_exporter's textfile collector, written after each run; for "
                + "all jobs in one file there is `run --metrics`"),
    ]
}
