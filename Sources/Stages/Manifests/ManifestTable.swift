import Model
import Templates
import URLs
import YAML

/// Every key of a manifest. What `check` takes, the README's reference and the JSON Schema are all made from these rows.
enum ManifestTable {
    static let keys: [ManifestKey] =
        job + scheduling + telling + crawl + download + fetch + sessions + naming + packing + handingOff + keeping + log

    private static let patterns = KeyType<[URLPattern]>.list(
        of: .pattern, named: "a list of patterns", mayBeEmpty: true)
    private static let mimeParts = KeyType<[String]>.list(
        of: .mimePart, named: "a list of parts of MIME types")

    private static let job: [ManifestKey] = [
        .key(
            "job", .jobName, \.name, default: "",
            "The job's name: names its folders, is asked for on the command line; no two jobs in a folder share one"),
        .key("description", .prose, \.job.description, default: "none", "What the job is for, for people"),
        .key(
            "timezone", .timeZone, \.job.timezone, default: "UTC",
            "The zone of the schedule, and of dates in names and start URLs"),
        .key(
            "schedule", .schedule, \.job.schedule, default: "none",
            "When `run --due` runs the job: minute hour day month weekday, or @daily and the like, in quotes; without "
                + "it the job runs by name and by plain `run`"),
        .key(
            "catch-up", .boolean, \.job.catchUp, default: "true",
            "Whether a time missed by more than an hour, as when the machine was off, is made up for once"),
        .key(
            "start", .startURLs, \.start, default: "",
            "Where the job begins: pages, feeds, sitemaps, listings or files; may hold {date:yyyyMMdd}, "
                + "{date:yyyyMMdd-1d} and {n:1..20}"),
    ]

    private static let log: [ManifestKey] = [
        .key(
            "log.interval", .duration(.seconds(1) ... .seconds(86400), "1s to 1d"), \.job.log.interval, default: "30s",
            "Time between two lines on how far a run is"),
        .key(
            "log.mask", .list(of: .parameterName, named: "a list of query parameters"), \.job.log.mask,
            default: "none",
            "Query parameters whose values no log, report or page shows, beside token, sig, key, password and the like, "
                + "which never are"),
    ]

    private static let crawl: [ManifestKey] = [
        .key(
            "crawl.depth", .integer(0...1000), \.job.crawl.depth, unit: "pages", default: "3",
            "How many links away from a start page pages are still read; 0 reads the start pages alone"),
        .key(
            "crawl.pages", .integer(1...10_000_000), \.job.crawl.pages, unit: "pages", default: "500",
            "Most pages read in one run"),
        .key(
            "crawl.scope", .choice(), \.job.crawl.scope, default: "prefix",
            "Where pages may lie: below a start URL's folder, on its host, on its registrable domain, or anywhere"),
        .key(
            "crawl.follow.include", patterns, \.job.crawl.follow.include, default: "[]",
            "Pages are read only if one of these matches; empty takes all"),
        .key(
            "crawl.follow.exclude", patterns, \.job.crawl.follow.exclude, default: "[]",
            "Pages are not read if one of these matches"),
        .key(
            "crawl.robots", .words(true: "obey", false: "ignore"), \.job.crawl.obeysRobots, default: "obey",
            "Whether robots.txt is obeyed"),
        .key(
            "crawl.sitemaps", .boolean, \.job.crawl.sitemaps, default: "true",
            "Whether the sitemaps that the robots.txt of a start page's host names are read, where they are in scope"),
        .key(
            "crawl.trap", .integer(0...1_000_000), \.job.crawl.trap, unit: "pages", default: "50",
            "Pages alike but for numbers and ids that may lead only to more of their kind and to no new file, as "
                + "calendars do, in a chain (four times as many where they spread); then no more of them are read; 0 is "
                + "no bound"),
        .key(
            "crawl.select", .selector, \.job.crawl.select, default: "none",
            "A CSS selector such as \"main a.download\": only links that it matches are taken, or that stand in what "
                + "it matches"),
        .key(
            "crawl.attributes", .list(of: .attributeName, named: "a list of attributes"), \.job.crawl.attributes,
            default: "none", "Further attributes that hold links, such as data-href"),
        .key(
            "crawl.ignore-query", .list(of: .parameterName, named: "a list of query parameters"),
            \.job.crawl.ignoredQuery, default: "none",
            "Query parameters that do not tell URLs apart and are left away: sessionid, utm_*"),
    ]

    private static let download: [ManifestKey] = [
        .key(
            "download.types", mimeParts, \.job.download.types, default: "none",
            "A response whose MIME type contains one of these is downloaded, whatever its link looked like"),
        .key(
            "download.extensions", .list(of: .fileExtension, named: "a list of extensions"),
            \.job.download.extensions, default: "none", "A link that ends in one of these is downloaded"),
        .key(
            "download.schemes", .list(of: .linkScheme, named: "a list of link prefixes"), \.job.download.schemes,
            default: "none", "Prefixes that mark a link as a download: with \"f:\" the link f:https://host/file"),
        .key(
            "download.include", patterns, \.job.download.filter.include, default: "[]",
            "Only what one of these matches is downloaded; empty takes all"),
        .key(
            "download.exclude", patterns, \.job.download.filter.exclude, default: "[]",
            "What one of these matches is not downloaded"),
        .key(
            "download.scope", .choice(), \.job.download.scope, default: "any",
            "Where downloads may lie, after redirects too"),
        .key(
            "download.max-size", .size(1...Int64.max), \.job.download.maxSize, unit: "bytes",
            default: "no bound", "A larger file is a failed item"),
        .key(
            "download.reject-types",
            .list(of: .mimePart, named: "a list of parts of MIME types", mayBeEmpty: true),
            \.job.download.rejectTypes, default: "text/html, unless types or extensions ask for HTML",
            "A download of such a type is a failed item (a login page is no PDF); its body goes to quarantine"),
        .key(
            "download.test", .choice(), \.job.download.test, default: "none",
            "With container, zip, gzip, xz, zstd, tar, office files, PDF, PNG and JPEG are opened after download: a cut or "
                + "damaged one is a failed item; its body goes to quarantine"),
    ]

    private static let fetch: [ManifestKey] = [
        .key(
            "fetch.concurrency", .integer(1...1024), \.job.fetch.concurrency, unit: "requests", default: "16",
            "Most requests in flight for the job"),
        .key(
            "fetch.per-host", .integer(1...1024), \.job.fetch.perHost, unit: "requests", default: "4",
            "Most requests in flight for one host"),
        .key(
            "fetch.retries", .integer(0...100), \.job.fetch.retries, unit: "attempts", default: "5",
            "Attempts after the first, for failures that may pass"),
        .key(
            "fetch.timeout.connect", .duration(.milliseconds(1) ... .seconds(3600), "1ms to 1h"),
            \.job.fetch.connectTimeout, default: "15s",
            "Longest time until a connection stands, name lookup and TLS included"),
        .key(
            "fetch.timeout.idle", .duration(.milliseconds(1) ... .seconds(86400), "1ms to 1d"),
            \.job.fetch.idleTimeout, default: "60s", "Longest time without a byte"),
        .key(
            "fetch.timeout.total", .duration(.milliseconds(1) ... .seconds(30 * 86400), "1ms to 30d"),
            \.job.fetch.totalTimeout, default: "6h", "Longest time of one attempt"),
        .key(
            "fetch.user-agent", .text(longest: 512), \.job.fetch.userAgent, default: "Nightjar's own",
            "What the program calls itself to servers and to robots.txt"),
        .key(
            "fetch.headers", .headers, \.headers, default: "none",
            "Headers sent to the hosts of the start URLs; secrets as { env: NAME } or { file: PATH }"),
        .key(
            "fetch.allow-http", .boolean, \.allowHTTP, default: "true", "Whether plain http is allowed"),
        .key(
            "fetch.allow-private", .boolean, \.job.fetch.allowPrivate, default: "false",
            "Whether links may lead into private networks that no start URL is in"),
        .key(
            "fetch.resolve", .list(of: .resolveEntry, named: "a list of host:port:address"), \.job.fetch.resolve,
            default: "none", "Addresses to use for names, as curl's --resolve takes them"),
        .key(
            "fetch.delay", .duration(.zero ... .seconds(3600), "0ms to 1h"), \.job.fetch.delay, default: "0s",
            "Time between the starts of two requests to one host; a longer crawl-delay of its robots.txt counts"),
        .key(
            "fetch.rate", .rate, \.job.fetch.rate, unit: "bytes", default: "no bound",
            "Most bytes received in a second by the whole run"),
        .key(
            "fetch.idle-floor", .rate, \.job.fetch.idleFloor, unit: "bytes", default: "1B/s",
            "A body that comes slower than that counts as idle"),
        .key(
            "fetch.retry-after-max", .duration(.zero ... .seconds(7 * 86400), "0ms to 7d"),
            \.job.fetch.retryAfterMax, default: "6h",
            "Longest time that a server may ask to wait; after it the server is tried again all the same"),
        .key(
            "fetch.max-age", .duration(.zero ... .seconds(3650 * 86400), "0ms to 3650d"), \.job.fetch.maxAge,
            default: "0s", "A file that was fetched or found unchanged since then is not asked for again"),
        .key(
            "fetch.keep-free", .size(0...Int64.max), \.job.fetch.keepFree, unit: "bytes", default: "none",
            "Disk space that a run leaves free; it ends in order before it would take more"),
        .key(
            "fetch.ca", .path, \.job.fetch.authorities, default: "the system's only",
            "A PEM file with certificate authorities to trust beside the system's"),
        .key(
            "fetch.client-cert.certificate", .path, \.job.fetch.clientCertificate.certificate, default: "none",
            "A PEM file with the certificate to show to servers that ask for one"),
        .key(
            "fetch.client-cert.key", .path, \.job.fetch.clientCertificate.key, default: "in the certificate's file",
            "A PEM file with its key"),
        .key(
            "fetch.client-cert.passphrase", .secret, \.job.fetch.clientCertificate.passphrase, default: "none",
            "What the key is encrypted with"),
        .key(
            "fetch.auth.netrc", .boolean, \.job.fetch.auth.netrc, default: "false",
            "Whether passwords are looked up by host in $NETRC, else ~/.netrc"),
        .key(
            "fetch.auth.basic", .basic, \.job.fetch.auth.basic, default: "none",
            "Name and password for the hosts of the start URLs"),
        .key(
            "fetch.auth.bearer", .secret, \.job.fetch.auth.bearer, default: "none",
            "A token for the hosts of the start URLs"),
        .key(
            "fetch.ssh.known-hosts", .path, \.job.fetch.knownHosts, default: "none",
            "A file of server keys as ssh-keyscan writes it; sftp:// needs it, and trusts no other key"),
        .key(
            "fetch.ssh.key", .path, \.job.fetch.sshKey, default: "none",
            "A file with a private key (ed25519 or ECDSA) for the sftp:// hosts of the start URLs; the user name stands in "
                + "the URL"),
        .key(
            "fetch.ssh.passphrase", .secret, \.job.fetch.sshPassphrase, default: "none",
            "What that key is encrypted with"),
        .key(
            "fetch.proxy", .proxy, \.job.fetch.proxy, default: "the environment's",
            "The proxy to go through: http, https, socks4, socks4a, socks5 or socks5h"),
        .key(
            "fetch.no-proxy", .list(of: .proxyException, named: "a list of hosts", mayBeEmpty: true),
            \.job.fetch.noProxy, default: "the environment's", "Hosts, domains and addresses asked without the proxy"),
        .key(
            "fetch.referer", .boolean, \.job.fetch.sendsReferer, default: "false",
            "Whether servers are told which page linked to what is asked for"),
        .key(
            "fetch.checksums", .checksums, \.job.fetch.checksums, default: "none",
            "Where published checksums are: URLs, relative ones from each file's own, with {url} for the file's "
                + "(SHA256SUMS, \"{url}.sha256\"), or auto for the usual names beside each file; a download that "
                + "differs fails and goes to quarantine"),
        .key(
            "fetch.segments", .integer(1...64), \.job.fetch.segments, unit: "requests", default: "1",
            "Ranges of one large file fetched at once, at least 1MiB each, where the server gives exact ranges and a strong "
                + "validator; they count for per-host"),
        .key(
            "fetch.max-decoded", .size(1...Int64.max), \.job.fetch.maxDecoded, unit: "bytes", default: "1GiB",
            "Most bytes that a body decodes to that a server sent coded (gzip, deflate, br, zstd); pages end at 64MiB"),
    ]

    private static let naming: [ManifestKey] = [
        .key(
            "name.template", .template(.name), \.job.naming.template, default: Template.defaultName.source,
            "How files are named"),
        .entries(
            "name.types", "a list of { match, extension }", default: "none",
            "Your own table of extensions, looked up before the built-in one",
            begin: { _, reading in reading.draft.type = TypeDraft() }, end: { _, reading in reading.endType() }),
        .key(
            "name.types[].match", .mimePart, \.type.match, default: "",
            "A part of the MIME type that the row is for"),
        .key(
            "name.types[].extension", .fileExtension, \.type.extension, default: "",
            "The extension that it gives"),
        .key(
            "name.on-change", .choice(), \.job.naming.onChange, default: "version",
            "What changed content does to the name that its URL had: version leaves it to the old content and gives the "
                + "new one another, replace hands it over"),
        .key(
            "dedupe", .choice(), \.job.dedupe, default: "link",
            "Identical content: every name with one copy, the first name only, or a copy for each"),
    ]

    private static let packing: [ManifestKey] = [
        .entries(
            "pack", "a list of packs", default: "none", "Archives to write when a run has ended",
            begin: { node, reading in
                reading.draft.pack = PackDraft()
                reading.draft.pack.position = node.position
            }, end: { index, reading in reading.endPack(index) }),
        .key("pack[].format", .choice(), \.pack.format, default: "", "The archive's format"),
        .key(
            "pack[].contents", .choice(), \.pack.contents, default: "new",
            "What is in no earlier bundle of this pack, everything, or what the newest run brought"),
        .key(
            "pack[].name", .template(.bundle), \.pack.name, default: Template.defaultBundle.source,
            "How the bundle is named"),
        .key(
            "pack[].id", .packID, \.pack.id, default: "position and format, such as 1-tar.zst",
            "Names the pack in the ledger; give one if the order of packs may change"),
        .key(
            "pack[].level", .integer(0...22), \.pack.level, default: "the format's own",
            "How hard to compress: zip, 7z, tar.gz and tar.xz 0 to 9, tar.zst 1 to 22"),
        .key(
            "pack[].threads", .integer(1...256), \.pack.threads, unit: "threads", default: "1",
            "Threads that compress tar.zst and tar.xz"),
        .key(
            "pack[].include", .list(of: .glob, named: "a list of globs"), \.pack.include, default: "all",
            "Names that go in: * is any run of characters, ? one; without a slash the last component is looked at"),
        .key(
            "pack[].exclude", .list(of: .glob, named: "a list of globs"), \.pack.exclude, default: "none",
            "Names that stay out"),
        .key(
            "pack[].bagit", .boolean, \.pack.isBag, default: "false",
            "Whether the bundle is a bag (RFC 8493), with SHA-256 and SHA-512 manifests"),
        .key(
            "pack[].bag-info", .bagInfo, \.pack.bagInfo, default: "none",
            "Fields of bag-info.txt, such as Source-Organization"),
        .key(
            "pack[].split", .size(1024...Int64.max), \.pack.split, unit: "bytes", default: "no bound",
            "Largest volume; each is a whole archive of its own"),
        .key(
            "pack[].passphrase", .secret, \.pack.passphrase, default: "none",
            "Encrypts the content of a zip with AES-256; opens in 7z and bsdtar, not in unzip"),
        .key(
            "pack[].recipients", .list(of: .recipient, named: "a list of keys"), \.pack.recipients, default: "none",
            "Encrypts the bundle with OpenPGP by the installed gpg: key ids, addresses, or paths of key files"),
        .key(
            "pack[].sign.gpg", .text("a key's id or address") { $0.hasPrefix("-") ? "it begins with '-'" : nil },
            \.pack.gpgKey, default: "none", "Signs each bundle with that key of the installed gpg: <bundle>.sig"),
        .key(
            "pack[].sign.minisign", .path, \.pack.minisignKey, default: "none",
            "Signs each bundle with that secret key file of the installed minisign: <bundle>.minisig"),
        .key(
            "pack[].sign.passphrase", .secret, \.pack.signPassphrase, default: "none", "Unlocks the key that signs"),
    ]
}
