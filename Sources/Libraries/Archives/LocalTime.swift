import Glibc

/// Makes the process's local time UTC. A zip holds local time, by libarchive's choice that of the process, and the
/// same content must give the same bytes whatever TZ cron or a person has set.
///
/// To be called first thing in the program: changing the environment is not safe once other threads read it.
package func useUTCAsLocalTime() {
    setenv("TZ", "UTC0", 1)
    tzset()
}

/// Where libarchive puts the temporary file that a 7z is written through; one of its size is needed there.
///
/// To be called first thing in the program, for the same reason.
package func useTemporaryFolder(_ path: String) { setenv("TMPDIR", path, 1) }
