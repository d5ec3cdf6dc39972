import Foundation
import FoundationNetworking
import StrictJSON
import Testing

/// One running program and the upstream of its calls, shared by the tests of a suite.
struct World: Sendable {
    let url: String
    let upstream: Upstream
    private let session: URLSession

    /// The world of the current test.
    static var here: World {
        get throws { try #require(current, "the suite lacks the trait `.world`") }
    }

    @TaskLocal private static var current: World?

    /// Starts a separate program for `body`.
    static func with(_ flags: [String], _ body: () async throws -> Void) async throws {
        let server = try LiveServer(flags)
        let upstream = Upstream()
        defer { upstream.stop() }
        let settings = URLSessionConfiguration.ephemeral
        settings.httpMaximumConnectionsPerHost = 100
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.timeoutIntervalForRequest = 70
        let session = URLSession(configuration: settings)
        defer { session.invalidateAndCancel() }
        let world = World(url: server.url, upstream: upstream, session: session)
        try await $current.withValue(world) { try await body() }
        withExtendedLifetime(server) {}
    }

    private init(url: String, upstream: Upstream, session: URLSession) {
        self.url = url
        self.upstream = upstream
        self.session = session
    }

    /// Sends one request; a body is JSON.
    func send(_ method: String, _ path: String, _ fields: [String: String] = [:], body: String? = nil)
        async throws -> LiveServer.Answer
    {
        var request = URLRequest(url: try #require(URL(string: url + path)))
        request.httpMethod = method
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        if let body {
            request.httpBody = Data(body.utf8)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return try await withCheckedThrowingContinuation { continuation in
            let task = session.dataTask(with: request) { data, response, error in
                guard let head = response as? HTTPURLResponse else {
                    return continuation.resume(throwing: error ?? URLError(.badServerResponse))
                }
                let names = head.allHeaderFields.map { (name: "\($0.key)", value: "\($0.value)") }
                continuation.resume(
                    returning: LiveServer.Answer(status: head.statusCode, fields: names, body: data ?? Data())
                )
            }
            task.resume()
        }
    }

    func get(_ path: String, _ fields: [String: String] = [:]) async throws -> LiveServer.Answer {
        try await send("GET", path, fields)
    }

    func post(_ path: String, _ body: String? = nil) async throws -> LiveServer.Answer {
        try await send("POST", path, body: body)
    }

    /// Submits a job that must be accepted.
    func submit(_ spec: String) async throws -> LiveJob {
        let answer = try await post("/v1/jobs", spec)
        let id = answer.at("/id")?.string
        return LiveJob(
            id: try #require(id, "\(answer.status): \(String(decoding: answer.body, as: UTF8.self))"),
            world: self)
    }

    /// Submits a job and waits for its end.
    func run(_ spec: String) async throws -> LiveJob.Ended { try await submit(spec).ended() }
}

/// Starts the program once for a suite; tests find it as `World.here`.
struct WorldTrait: SuiteTrait, TestScoping {
    let flags: [String]

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await World.with(flags) { try await function() }
    }
}

extension Trait where Self == WorldTrait {
    /// A running program for all tests of the suite. They share the upstream of their calls, and many make it fail, so
    /// the origin guards are off.
    static var world: WorldTrait { WorldTrait(flags: ["--origin-guards", "none"]) }
}
