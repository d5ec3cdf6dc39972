import EventIO
import Glibc
import Testing

@Suite struct `A timer` {
    @Test func `fires again and again until it is cancelled`() async throws {
        let log = Log<Int>()
        let loop = try EventLoop(name: "timer")
        let timer = LoopTimer(loop: loop) { log.add(1) }
        timer.schedule(every: .milliseconds(1))
        loop.start()
        #expect(await eventually { log.all.count >= 3 })
        loop.execute { timer.cancel() }
        loop.execute { log.add(100) }
        #expect(await eventually { log.all.last == 100 })
        try await loop.sleep(for: .milliseconds(10))
        #expect(log.all.last == 100)
        loop.stop()
    }

    @Test func `fires once when asked once, at its last setting`() async throws {
        let log = Log<String>()
        let loop = try EventLoop(name: "timer")
        let timer = LoopTimer(loop: loop) { log.add("fired") }
        timer.schedule(after: .milliseconds(1))
        timer.schedule(after: .milliseconds(5))
        #expect(timer.isScheduled)
        loop.start()
        try await loop.sleep(for: .milliseconds(20))
        #expect(log.all == ["fired"])
        loop.stop()
    }

    @Test func `ends and lets its handler go when it is dropped on another thread`() async throws {
        let log = Log<String>()
        weak var trace: Log<String>? = nil
        try await withLoop { loop in
            var timer: LoopTimer? = await withCheckedContinuation { continuation in
                let captured = Log<String>()
                trace = captured
                loop.execute {
                    let timer = LoopTimer(loop: loop) { captured.add("fired") }
                    timer.schedule(after: .seconds(3600))
                    #expect(timer.isScheduled)
                    continuation.resume(returning: timer)
                }
            }
            #expect(timer != nil)
            timer = nil
            loop.execute { log.add("afterwards") }
        }
        #expect(log.all == ["afterwards"])
        #expect(trace == nil)
    }
}

@Suite(.serialized) struct `A signal watcher` {
    @Test func `reports a signal on the loop`() async throws {
        let log = Log<Bool>()
        let loop = try EventLoop(name: "signal")
        let watcher = SignalWatcher(loop: loop, signal: SIGUSR1) { log.add(loop.isCurrent) }
        loop.start()
        kill(getpid(), SIGUSR1)
        #expect(await eventually { !log.all.isEmpty })
        #expect(log.all == [true])
        loop.stop()
        withExtendedLifetime(watcher) {}
    }
}

@Suite struct `A descriptor watcher` {
    @Test func `reports readability, and nothing without interest`() async throws {
        let log = Log<String>()
        var pair: [CInt] = [0, 0]
        try #require(unsafe pipe(&pair) == 0)
        let (reader, writer) = (pair[0], pair[1])
        let loop = try EventLoop(name: "watch")
        let watcher = DescriptorWatcher(loop: loop, descriptor: reader) { ready in
            var byte: UInt8 = 0
            #expect(ready == .read)
            #expect(unsafe read(reader, &byte, 1) == 1)
            log.add(String(UnicodeScalar(byte)))
        }
        watcher.watch(.read)
        loop.start()
        write("a", to: writer)
        #expect(await eventually { log.all == ["a"] })
        await withCheckedContinuation { continuation in
            loop.execute {
                watcher.watch([])
                continuation.resume()
            }
        }
        write("b", to: writer)
        try await loop.sleep(for: .milliseconds(5))
        #expect(log.all == ["a"])
        loop.execute { watcher.watch(.read) }
        #expect(await eventually { log.all == ["a", "b"] })
        loop.stop()
        watcher.cancel()
        close(reader)
        close(writer)
    }

    private func write(_ text: String, to descriptor: CInt) {
        let bytes = Array(text.utf8)
        #expect(unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    }
}
