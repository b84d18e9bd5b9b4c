package import URLs

/// Where a job's cookies live, and how it logs in.
package struct CookieRules: Sendable {
    package enum Jar: Sendable, Hashable {
        /// Of the job's own, kept between runs.
        case isolated
        /// Shared by all jobs that name it, also at the same time.
        case pool(String)
        /// In memory, gone at the end.
        case ephemeral
    }
    package var jar = Jar.isolated
    /// The path of a browser's cookies.txt, taken at each run when it is newer.
    package var importPath: String?
    /// Whether session cookies outlive the run.
    package var keepsSession = false
    package var login: LoginRules?
    package var expired = ExpiredRules()

    package init() {}
}

/// A request that logs in before the crawl.
package struct LoginRules: Sendable {
    package enum Form: Sendable, Hashable {
        /// `application/x-www-form-urlencoded`, as browsers send it.
        case form
        case json
    }
    package var url: WebURL
    package var form = Form.form
    package var fields: [LoginField] = []
    /// Where hidden fields are read; nil reads them at `url`.
    package var page: WebURL?
    package var hidden: [HiddenField] = []
    package var success = LoginSuccess()

    package init(url: WebURL) { self.url = url }
}

package struct LoginField: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case text(String)
        /// `true`, `false` or a whole number, which JSON tells from text.
        case literal(String)
        case secret(Secret)
    }
    package var name: String
    package var value: Value

    package init(name: String, value: Value) {
        self.name = name
        self.value = value
    }
}

/// A field whose value stands in a page, such as a token against forged requests.
package struct HiddenField: Sendable, Hashable {
    /// Nil takes every element that the selector matches, each under its own name.
    package var name: String?
    /// A CSS selector that was found right.
    package var selector: String

    package init(name: String?, selector: String) {
        self.name = name
        self.selector = selector
    }
}

/// By what a login is known to have worked: all that is given. Without anything, by a 2xx answer, after redirects, and
/// some new cookie.
package struct LoginSuccess: Sendable, Hashable {
    /// Of the answer itself, or of the page that its redirects lead to.
    package var status: Int?
    /// A cookie that is there afterwards.
    package var cookie: String?
    /// Matches an element of the page that is shown afterwards.
    package var selector: String?

    package init() {}
}

/// How the end of a session is noticed in the middle of a run.
package struct ExpiredRules: Sendable, Hashable {
    /// A redirect to a URL that matches.
    package var redirectsTo: URLPattern?
    /// An element of what is shown instead.
    package var selector: String?

    package init() {}
}
