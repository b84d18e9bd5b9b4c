package import Reporting

/// How a run shows itself; the printers are the executable's.
package struct RunOptions: Sendable {
    package var logFormat = LogFormat.text
    /// Prints failures only.
    package var isQuiet = false
    package var processID: Int32
    /// Writes whole lines to standard error.
    package var printError: @Sendable ([UInt8]) -> Void
    /// A run's report is written at that path.
    package var finished: @Sendable (String) async throws -> Void

    package init(
        processID: Int32, printError: @escaping @Sendable ([UInt8]) -> Void,
        finished: @escaping @Sendable (String) async throws -> Void
    ) {
        self.processID = processID
        self.printError = printError
        self.finished = finished
    }

    /// A line on standard error unless the run is quiet.
    func tell(_ line: String) {
        if !isQuiet { printError(Array("\(line)\n".utf8)) }
    }
}
