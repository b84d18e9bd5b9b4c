import Glibc
import Lanes
import Synchronization
import Testing

@Suite struct LaneTests {
    @Test func workRunsInOrderOnOneThread() async throws {
        let lane = try Lane("test")
        let order = Mutex<[Int]>([])
        for number in 0..<100 { lane.async { order.withLock { $0.append(number) } } }
        try await lane.run {}
        #expect(order.withLock { $0 } == Array(0..<100))
    }

    @Test func errorsReachTheCaller() async throws {
        struct Fault: Error {}
        let lane = try Lane("test")
        await #expect(throws: Fault.self) { try await lane.run { throw Fault() } }
    }

    @Test func poolRunsEverything() async throws {
        let pool = try LanePool("test", threads: 3)
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...100 { group.addTask { try await pool.run { number } } }
            return try await group.reduce(0, +)
        }
        #expect(sum == 5050)
    }

    @Test func actorsLiveOnALane() async throws {
        actor Counter {
            let lane: Lane
            var count = 0
            nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }
            init(_ lane: Lane) { self.lane = lane }
            func increment() { count += 1 }
        }
        let counter = Counter(try Lane("test"))
        await withTaskGroup { group in
            for _ in 0..<1000 { group.addTask { await counter.increment() } }
        }
        #expect(await counter.count == 1000)
    }
}

@Suite struct ChannelTests {
    @Test func everyValueArrivesInOrder() async {
        let channel = Channel<Int>(capacity: 4)
        async let sent: Void = {
            for number in 0..<10_000 { await channel.send(number) }
            channel.finish()
        }()
        var received: [Int] = []
        while let number = await channel.next() { received.append(number) }
        await sent
        #expect(received == Array(0..<10_000))
    }

    @Test func senderWaitsWhileTheChannelIsFull() async {
        let channel = Channel<Int>(capacity: 2)
        let sent = Mutex(0)
        let sender = Task {
            for number in 0..<100 {
                await channel.send(number)
                sent.withLock { $0 += 1 }
            }
            channel.finish()
        }
        var received = 0
        while await channel.next() != nil {
            received += 1
            // One value may be on its way on either side of the two that the channel holds.
            #expect(sent.withLock { $0 } <= received + 4)
        }
        await sender.value
        #expect(received == 100)
    }

    @Test func aPatientReaderTakesWhatComesMeanwhile() async {
        let channel = Channel<Int>(capacity: 8)
        await channel.send(1)
        let long = Duration.seconds(600)
        async let full = channel.nextBatch(3, patience: long)
        for number in 2...4 { await channel.send(number) }
        #expect(await full == [1, 2, 3])
        #expect(await channel.nextBatch(3, patience: .milliseconds(1)) == [4])
        await channel.send(5)
        async let last = channel.nextBatch(3, patience: long)
        channel.finish()
        #expect(await last == [5])
        #expect(await channel.nextBatch(3, patience: long) == [])
    }

    @Test func aPatientReaderLetsNobodyWaitForRoom() async {
        let channel = Channel<Int>(capacity: 2)
        async let batch = channel.nextBatch(100, patience: .seconds(600))
        for number in 0..<3 { await channel.send(number) }
        #expect(await batch.count >= 2)
        channel.finish()
    }

    @Test func tasksKeepToTheirThread() async throws {
        let thread = try TaskThread("test-tasks")
        let names = await Task(executorPreference: thread) {
            await withTaskGroup(of: pthread_t.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        await Task.yield()
                        return pthread_self()
                    }
                }
                let inherited = await Task(executorPreference: currentTaskExecutor) { pthread_self() }.value
                return await group.reduce(into: Set([inherited])) { $0.insert($1) }
            }
        }.value
        #expect(names.count == 1)
        #expect(currentTaskExecutor == nil)
    }

    @Test func afterTheEndValuesAreDropped() async {
        let channel = Channel<Int>(capacity: 1)
        channel.finish()
        await channel.send(1)
        #expect(await channel.next() == nil)
    }
}
