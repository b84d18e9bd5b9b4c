import Glibc

/// Seconds since 1970 by the system's real-time clock, with its fractions.
package func currentTime() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

/// Whole seconds of an instant, rounded down, kept within the years 0000 to 9999, so that no later sum overflows.
/// What is not a number counts as 1970.
func wholeSeconds(_ seconds: Double) -> Int64 {
    guard !seconds.isNaN else { return 0 }
    return Int64(min(max(seconds.rounded(.down), -62_167_219_200), 253_402_300_799))
}
