import EventIO
import HTTPMessage
import Testing

@testable import CurlHTTP

/// A client on a separate loop, for the length of one test.
func withClient<Result>(
    limits: CurlLimits = CurlLimits(), authoritiesFile: String? = nil,
    allows: @escaping @Sendable (IPAddress, Int) -> Bool = { _, _ in true },
    backpressure: (any Backpressure)? = nil,
    _ body: (CurlClient) async throws -> Result
) async throws -> Result {
    let loop = try EventLoop(name: "curl-test")
    loop.start()
    let client = CurlClient(
        loop: loop, allows: allows, limits: limits, authoritiesFile: authoritiesFile,
        backpressure: backpressure)
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body(client)) } catch { result = .failure(error) }
    await client.close()
    loop.stop()
    return try result.get()
}

/// The failure of a call that must fail.
func expectFailure(
    _ client: CurlClient, _ call: HTTPCall, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> HTTPCallFailure {
    do {
        let answer = try await client.send(call)
        Issue.record("Answered \(answer.status) where a failure was expected", sourceLocation: sourceLocation)
        throw CancellationError()
    } catch let failure as HTTPCallFailure {
        return failure
    }
}

/// Waits until a condition of another thread holds; gives up after a minute.
func until(_ condition: () -> Bool) async throws {
    for _ in 0..<30_000 {
        if condition() { return }
        try await Task.sleep(for: .milliseconds(2))
    }
    Issue.record("It never happened")
}
