extension Schema {
    /// What a run brought, by which later runs are judged; the hold on a job's hand-off; views for people.
    static let version7 = """
        ALTER TABLE runs ADD COLUMN links INTEGER;
        ALTER TABLE runs ADD COLUMN items INTEGER;
        ALTER TABLE runs ADD COLUMN bytes INTEGER;
        -- Items by content type, a JSON object.
        ALTER TABLE runs ADD COLUMN types TEXT;
        -- 'good', 'dropped' when it brought far less than usual, 'accepted' once somebody said that this is right.
        ALTER TABLE runs ADD COLUMN yield TEXT;
        -- The run whose yield holds back the job's hand-off; NULL when nothing does.
        ALTER TABLE jobs ADD COLUMN held_by INTEGER REFERENCES runs(number);
        ALTER TABLE jobs ADD COLUMN held_reason TEXT;
        CREATE INDEX visits_of_url ON visits(url, run);
        -- When every target had it; with no hand-off, when it was written. NULL: not yet.
        ALTER TABLE bundles ADD COLUMN handed_off REAL;
        -- When retention removed the file; NULL while it is there.
        ALTER TABLE bundles ADD COLUMN removed REAL;
        UPDATE bundles SET handed_off = created WHERE published = 1;

        CREATE VIEW latest_files AS
        SELECT jobs.name AS job, urls.url, known.name, iif(known.name IS NULL, NULL,
                'files/' || jobs.name || '/' || known.name) AS path, known.duplicate_of, known.extension,
            known.content_type, known.bytes, lower(hex(known.sha256)) AS sha256, known.etag, known.last_modified,
            strftime('%Y-%m-%dT%H:%M:%SZ', first.started, 'unixepoch') AS first_seen,
            strftime('%Y-%m-%dT%H:%M:%SZ', last.started, 'unixepoch') AS last_seen
        FROM resources AS known JOIN jobs ON jobs.id = known.job JOIN urls ON urls.id = known.url
        LEFT JOIN runs AS first ON first.number = known.first_run
        LEFT JOIN runs AS last ON last.number = known.last_run;

        CREATE VIEW url_history AS
        SELECT urls.url, jobs.name AS job, runs.id AS run,
            strftime('%Y-%m-%dT%H:%M:%SZ', coalesce(visits.started, runs.started), 'unixepoch') AS seen,
            coalesce(visits.status, 'waiting') AS status, visits.reason, visits.http_status, visits.error_code,
            visits.error_message, visits.final_url, visits.content_type, visits.etag, visits.last_modified,
            visits.bytes, lower(hex(visits.sha256)) AS sha256, visits.name, referrers.url AS referrer, visits.depth
        FROM visits JOIN urls ON urls.id = visits.url JOIN runs ON runs.number = visits.run
        JOIN jobs ON jobs.id = runs.job LEFT JOIN urls AS referrers ON referrers.id = visits.referrer;

        CREATE VIEW run_summary AS
        SELECT jobs.name AS job, runs.id AS run,
            strftime('%Y-%m-%dT%H:%M:%SZ', runs.started, 'unixepoch') AS started,
            strftime('%Y-%m-%dT%H:%M:%SZ', runs.finished, 'unixepoch') AS finished,
            round(runs.finished - runs.started, 1) AS seconds, coalesce(runs.status, 'running') AS status,
            runs.exit_status, counts ->> 'pages' AS pages, counts ->> 'links' AS links,
            counts ->> 'downloaded' AS downloaded, counts ->> 'unchanged' AS unchanged,
            counts ->> 'duplicate' AS duplicate, counts ->> 'skipped' AS skipped, counts ->> 'failed' AS failed,
            counts ->> 'gone' AS gone, runs.items, runs.bytes, runs.yield,
            (SELECT count(*) FROM bundles WHERE bundles.run = runs.number) AS bundles
        FROM runs JOIN jobs ON jobs.id = runs.job;
        """
}
