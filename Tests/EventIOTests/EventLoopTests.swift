import EventIO
import Testing

@Suite struct `An event loop` {
    @Test func `runs work in the order in which one thread gave it`() async throws {
        let log = Log<Int>()
        try await withLoop { loop in
            for number in 0..<2000 { loop.execute { log.add(number) } }
        }
        #expect(log.all == Array(0..<2000))
    }

    @Test func `keeps work that came before its start`() async throws {
        let log = Log<String>()
        let loop = try EventLoop(name: "late")
        loop.execute { log.add("early") }
        loop.start()
        loop.stop()
        #expect(log.all == ["early"])
    }

    @Test func `runs whole tasks, children included`() async throws {
        try await withLoop { loop in
            let places = await Task(executorPreference: loop) {
                await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            await Task.yield()
                            return loop.isCurrent
                        }
                    }
                    return await group.reduce(into: [loop.isCurrent]) { $0.append($1) }
                }
            }.value
            #expect(places == Array(repeating: true, count: 9))
            #expect(!loop.isCurrent)
        }
    }

    @Test func `does not queue a task again for a call that stays on it`() async throws {
        try await withLoop { loop in
            let log = Log<String>()
            await Task(executorPreference: loop) {
                loop.execute { log.add("later") }
                await Self.inner(log)
                log.add("outer")
            }.value
            await Task(executorPreference: loop) {}.value
            #expect(log.all == ["inner", "outer", "later"])
        }
    }

    @concurrent private static func inner(_ log: Log<String>) async { log.add("inner") }

    /// An actor on the default executor.
    actor Guest {
        private(set) var visits = 0

        func visit(_ loop: EventLoop) -> Bool {
            visits += 1
            return loop.isCurrent
        }
    }

    @Test func `lets actors take part in its tasks`() async throws {
        try await withLoop { home in
            let guest = Guest()
            let places = await Task(executorPreference: home) {
                await withTaskGroup(of: [Bool].self) { group in
                    for _ in 0..<100 {
                        group.addTask { [await guest.visit(home), home.isCurrent] }
                    }
                    return await group.reduce(into: Set<[Bool]>()) { $0.insert($1) }
                }
            }.value
            #expect(places == [[true, true]])
            #expect(await guest.visits == 100)
        }
    }

    @Test func `fires its timers within a few milliseconds`() async throws {
        try await withLoop { loop in
            let lateness = try await withThrowingTaskGroup(of: Duration.self) { group in
                for number in 0..<500 {
                    group.addTask(executorPreference: loop) {
                        let length = Duration.microseconds(1000 + number * 97)
                        let start = ContinuousClock.now
                        try await loop.sleep(for: length)
                        return start.duration(to: .now) - length
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }.sorted()
            }
            #expect(lateness[0] >= .zero)
            #expect(lateness[250] < .seconds(1))
        }
    }

    @Test func `answers ten thousand calls from outside`() async throws {
        try await withLoop { loop in
            let guest = Guest()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        for _ in 0..<100 {
                            _ = await Task(executorPreference: loop) { await guest.visit(loop) }.value
                        }
                    }
                }
            }
            #expect(await guest.visits == 10_000)
        }
    }

    @Test func `sleeps about as long as asked`() async throws {
        try await withLoop { loop in
            let start = ContinuousClock.now
            try await loop.sleep(for: .milliseconds(20))
            let slept = start.duration(to: .now)
            #expect(slept >= .milliseconds(20))
            #expect(slept < .seconds(30))
        }
    }

    @Test func `wakes sleepers in the order of their times`() async throws {
        let log = Log<Int>()
        try await withLoop { loop in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for milliseconds in [60, 20, 40] {
                    group.addTask(executorPreference: loop) {
                        try await loop.sleep(for: .milliseconds(milliseconds))
                        log.add(milliseconds)
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(log.all == [20, 40, 60])
    }

    @Test func `ends a sleep at once when its task is cancelled`() async throws {
        try await withLoop { loop in
            let sleeper = Task(executorPreference: loop) { try await loop.sleep(for: .seconds(3600)) }
            try await loop.sleep(for: .milliseconds(5))
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
            // A cancelled task does not sleep at all.
            let late = Task {
                unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
                try await loop.sleep(for: .seconds(3600))
            }
            await #expect(throws: CancellationError.self) { try await late.value }
        }
    }

    @Test func `can be stopped twice and ends its thread`() throws {
        let loop = try EventLoop(name: "twice")
        loop.start()
        loop.stop()
        loop.stop()
        #expect(!loop.isCurrent)
    }
}
