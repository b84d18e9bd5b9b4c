import Glibc

/// Makes the process's local time UTC. A zip holds local time, by libarchive's choice that of the process, and the
/// same content must give the same bytes whatever TZ cron or a person has set.
///
/// To be called first thing in the program: changing the environment is not safe once other threads read it.
package func useUTCAsLocalTime() {
    setenv("TZ", "UTC0", 1)
    tzset()
}
