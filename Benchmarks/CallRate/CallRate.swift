import CurlHTTP
import EventIO
import HTTPMessage

// The call rate of the HTTP client on one loop: `swift run -c release CallRate URL [count] [concurrency]`.

@main
enum CallRate {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        guard let url = words.first else { return print("usage: CallRate URL [count] [concurrency]") }
        let count = words.dropFirst().first.flatMap { Int($0) } ?? 100_000
        let concurrency = words.dropFirst(2).first.flatMap { Int($0) } ?? 64
        let loop = try EventLoop(name: "calls")
        loop.start()
        let client = CurlClient(loop: loop, allows: { _, _ in true })
        for round in 1...5 {
            let began = ContinuousClock.now
            let good = try await run(client, loop, url, count, concurrency)
            let took = ContinuousClock.now - began
            let seconds = Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18
            print("round \(round): \(Int(Double(count) / seconds)) calls/s, \(good) of \(count) answered 200")
        }
        await client.close()
        loop.stop()
    }

    private static func run(
        _ client: CurlClient, _ loop: EventLoop, _ url: String, _ count: Int, _ concurrency: Int
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<concurrency {
                group.addTask(executorPreference: loop) {
                    var good = 0
                    for _ in 0..<(count / concurrency) {
                        good += try await client.send(HTTPCall(method: "GET", url: url)).status == 200 ? 1 : 0
                    }
                    return good
                }
            }
            return try await group.reduce(0, +)
        }
    }
}
