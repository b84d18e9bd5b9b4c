import CShims
import Glibc
import Synchronization

/// A thread of its own for work that blocks: C libraries, disk, hashing. Work runs one piece at a time, in order.
///
/// A lane is a serial executor, so that an actor which wraps a blocking library can live on it. The thread ends
/// after the work at hand once nobody holds the lane any more.
package final class Lane: SerialExecutor {
    private let queue: WorkQueue

    /// - Parameter name: shown by `ps -L` and debuggers; 15 bytes at most count.
    package init(_ name: String) throws(LaneError) {
        queue = WorkQueue()
        try startThread(name, queue)
    }

    deinit { queue.close() }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        // The queue must outlive the lane for jobs that are already in it, hence no reference to the lane itself.
        queue.push { job.runSynchronously(on: executor) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// Runs `work` on the lane's thread and gives what it gives.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await queue.run(work)
    }

    /// Runs `work` on the lane's thread some time later.
    package func async(_ work: @escaping @Sendable () -> Void) { queue.push(work) }
}

/// Several threads that share one queue of blocking work; pieces of work run at once and end in any order.
package final class LanePool: Sendable {
    private let queue: WorkQueue

    package init(_ name: String, threads: Int) throws(LaneError) {
        queue = WorkQueue()
        for _ in 0..<max(threads, 1) { try startThread(name, queue) }
    }

    deinit { queue.close() }

    package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await queue.run(work)
    }

    package func async(_ work: @escaping @Sendable () -> Void) { queue.push(work) }
}

/// A thread that runs the parts of tasks that nothing else lays claim to, one at a time, in order: what is short and
/// never blocks. Parts that follow each other closely run without waking a thread for each, which the cooperative pool
/// does.
package final class TaskThread: TaskExecutor {
    private let queue: WorkQueue

    /// - Parameter name: shown by `ps -L` and debuggers; 15 bytes at most count.
    package init(_ name: String) throws(LaneError) {
        queue = WorkQueue()
        try startThread(name, queue)
    }

    deinit { queue.close() }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.push { job.runSynchronously(on: executor) }
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}

/// What the current task prefers to run on, for tasks beside it that do not inherit it.
package var currentTaskExecutor: (any TaskExecutor)? {
    withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
}

/// The system gave no thread; the limits of the process or machine are reached.
package struct LaneError: Error, CustomStringConvertible {
    let code: Int32
    package var description: String { "cannot start a thread: \(String(cString: strerror(code))); see ulimit -u" }
}

/// First in, first out, for any number of threads.
private final class WorkQueue: Sendable {
    private struct State {
        var work: [@Sendable () -> Void] = []
        var next = 0
        var isClosed = false
        var waiting: Int = 0
    }
    private let state = Mutex(State())
    private let signal = Semaphore()

    func push(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.work.append(work) }
        signal.post()
    }

    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            push { continuation.resume(with: Result { try work() }) }
        }
    }

    /// Lets every thread end once the queue is empty.
    func close() {
        state.withLock { $0.isClosed = true }
        signal.post()
    }

    func work() {
        while true {
            signal.wait()
            let next = state.withLock { state -> (@Sendable () -> Void)? in
                guard state.next < state.work.count else { return nil }
                let work = state.work[state.next]
                state.next += 1
                if state.next == state.work.count || state.next > 1024 {
                    state.work.removeFirst(state.next)
                    state.next = 0
                }
                return work
            }
            if let next {
                next()
            } else if state.withLock({ $0.isClosed }) {
                // Hands the closing signal on to the next thread.
                signal.post()
                return
            }
        }
    }
}

private func startThread(_ name: String, _ queue: WorkQueue) throws(LaneError) {
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Start(name: name, queue: queue))
    let code = pthread_create(&thread, nil, laneMain, box.toOpaque())
    guard code == 0 else {
        box.release()
        throw LaneError(code: code)
    }
    pthread_detach(thread)
}

private func laneMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
    nj_name_thread(start.name)
    start.queue.work()
    return nil
}

private final class Start {
    let name: String
    let queue: WorkQueue

    init(name: String, queue: WorkQueue) {
        self.name = name
        self.queue = queue
    }
}
