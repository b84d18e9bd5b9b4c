import Model
import URLs
import YAML

extension ManifestTable {
    /// Where cookies live, and how a job logs in.
    static let sessions: [ManifestKey] = [
        .key(
            "cookies.pool", .jobName, \.cookies.pool, default: "none",
            "A jar shared by all jobs that name it, also when they run at the same time: cookies/<pool>.txt"),
        .key(
            "cookies.isolated", .boolean, \.cookies.isolated, default: "true",
            "A jar of the job's own, kept between runs: cookies/job.<job>.txt"),
        .key(
            "cookies.ephemeral", .boolean, \.cookies.ephemeral, default: "false",
            "A jar in memory, gone at the end of the run"),
        .key(
            "cookies.import", .path, \.job.cookies.importPath, default: "none",
            "A browser's cookies.txt, taken into the jar at each run when it is newer than the last time"),
        .key(
            "cookies.keep-session", .boolean, \.job.cookies.keepsSession, default: "false",
            "Whether cookies without an expiry outlive the run"),
        .key(
            "cookies.login.url", .page, \.cookies.login.url, default: "",
            "Where the login is posted, before the crawl; a login that fails ends the job with status 3"),
        .key(
            "cookies.login.form", .loginFields, \.cookies.login.form, default: "none",
            "Fields that are posted as a browser posts a form; secrets as { env: NAME } or { file: PATH }"),
        .key(
            "cookies.login.json", .loginFields, \.cookies.login.json, default: "none",
            "Fields that are posted as a JSON object, instead of form"),
        .key(
            "cookies.login.page", .page, \.cookies.login.page, default: "the login's url",
            "Where hidden fields are read"),
        .key(
            "cookies.login.hidden", .hiddenFields, \.cookies.login.hidden, default: "none",
            "Fields whose values stand in the page: a CSS selector of inputs, as \"form input[type=hidden]\", or names "
                + "with a selector for each, as { csrf: \"meta[name=csrf]\" }"),
        .key(
            "cookies.login.success.status", .integer(200...599), \.cookies.login.success.status,
            default: "2xx and a new cookie",
            "The status by which a login is known to have worked, of the answer or of the page it redirects to"),
        .key(
            "cookies.login.success.cookie", .cookieName, \.cookies.login.success.cookie, default: "none",
            "A cookie that a login must have set"),
        .key(
            "cookies.login.success.selector", .selector, \.cookies.login.success.selector, default: "none",
            "A CSS selector that must match the page after the login"),
        .key(
            "cookies.expired.redirects-to", .pattern, \.job.cookies.expired.redirectsTo, default: "none",
            "A redirect to a URL that this pattern matches says that the session has ended: the job logs in once more "
                + "and goes on"),
        .key(
            "cookies.expired.selector", .selector, \.job.cookies.expired.selector, default: "none",
            "The same for a page in which this CSS selector matches"),
    ]
}

/// What of `cookies` is put together when all of it was read.
struct CookieDraft: Sendable {
    var pool: Placed<String>?
    var isolated: Placed<Bool>?
    var ephemeral: Placed<Bool>?
    var login = LoginDraft()
}

struct LoginDraft: Sendable {
    var url: Placed<WebURL>?
    var form: Placed<[LoginField]>?
    var json: Placed<[LoginField]>?
    var page: WebURL?
    var hidden: [HiddenField] = []
    var success = LoginSuccess()
}

extension ManifestReading {
    /// One jar, and one way to log in.
    mutating func finishCookies() {
        let cookies = draft.cookies
        var chosen: [(key: String, jar: CookieRules.Jar, position: SourcePosition)] = []
        if let pool = cookies.pool { chosen.append(("cookies.pool", .pool(pool.value), pool.position)) }
        if let isolated = cookies.isolated, isolated.value {
            chosen.append(("cookies.isolated", .isolated, isolated.position))
        }
        if let ephemeral = cookies.ephemeral, ephemeral.value {
            chosen.append(("cookies.ephemeral", .ephemeral, ephemeral.position))
        }
        if chosen.count > 1 {
            note(chosen[1].position, "\(chosen[1].key): a job has one jar, and \(chosen[0].key) names another")
        } else if chosen.isEmpty, let isolated = cookies.isolated {
            note(isolated.position, "cookies.isolated: what else? Name a pool, or write ephemeral: true")
        }
        draft.job.cookies.jar = chosen.first?.jar ?? .isolated
        if let url = cookies.login.url { finishLogin(url) }
    }

    private mutating func finishLogin(_ url: Placed<WebURL>) {
        let login = draft.cookies.login
        var rules = LoginRules(url: url.value)
        if let form = login.form, login.json != nil {
            note(form.position, "cookies.login.form: a login is a form or JSON, and there is cookies.login.json too")
        }
        guard let fields = login.form ?? login.json else {
            return note(url.position, "cookies.login: it needs form or json with the fields that are posted")
        }
        rules.form = login.form == nil ? .json : .form
        rules.fields = fields.value
        rules.page = login.page
        rules.hidden = login.hidden
        rules.success = login.success
        draft.job.cookies.login = rules
    }
}
