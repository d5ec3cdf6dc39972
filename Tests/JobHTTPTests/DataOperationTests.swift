import FaultyHTTP
import Foundation
import JobHTTP
import Synchronization
import Testing

struct Repo: Decodable, Sendable, Equatable {
    let name: String
    let stars: Int
}

/// The first error of an operation that must fail.
func expectError<Output>(
    _ handle: OperationHandle<Output>, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> AOperationError {
    try #require(await handle.waitUntilFinished().errors.first, sourceLocation: sourceLocation)
}

@Suite struct `A call in three lines` {
    private let queue = AOperationQueue(transport: .curl)

    @Test func `gives a decoded value`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll(#"{"name": "ada", "stars": 3}"#) }
        defer { server.stop() }
        let queue = AOperationQueue(transport: .curl)
        let repo = try await queue.add(NetworkDataOperation(url: server.url("/repo"), as: Repo.self)).value
        #expect(repo == Repo(name: "ada", stars: 3))
        #expect(server.requests.first?.hasPrefix("GET /repo HTTP/1.1\r\n") == true)
    }

    @Test func `gives its closure the content and the answer`() async throws {
        let server = FaultServer { connection, _ in
            connection.answerAll(#"{"name": "ada", "stars": 3}"#, fields: "X-Place: shelf\r\n")
        }
        defer { server.stop() }
        let place = try #require(URL(string: server.url()))
        let operation = NetworkDataOperation(url: place) { data, response in
            (try JSONDecoder().decode(Repo.self, from: data), response.field("x-place"), response.status)
        }
        let (repo, field, status) = try await queue.add(operation).value
        #expect(repo.name == "ada")
        #expect(field == "shelf")
        #expect(status == 200)
    }

    @Test func `may have any method, fields and content`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("") }
        defer { server.stop() }
        let call = HTTPCall(
            method: "POST", url: server.url(), fields: [("content-type", "text/plain")],
            body: Array("hello".utf8))
        let status = try await queue.add(NetworkDataOperation(call) { _, response in response.status }).value
        #expect(status == 200)
        #expect(server.requests.first?.hasSuffix("\r\n\r\nhello") == true)
        #expect(server.requests.first?.contains("User-Agent: JobKit\r\n") == true)
    }

    @Test func `sends a value as JSON`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("ok") }
        defer { server.stop() }
        let call = try HTTPCall(method: "PUT", url: server.url(), json: ["stars": 4])
        _ = try await queue.add(NetworkDataOperation(call) { data, _ in data }).value
        let request = try #require(server.requests.first)
        #expect(request.hasPrefix("PUT / HTTP/1.1\r\n"))
        #expect(request.lowercased().contains("content-type: application/json\r\n"))
        #expect(request.hasSuffix("\r\n\r\n{\"stars\":4}"))
    }

    @Test func `follows redirects`() async throws {
        let server = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                if request.hasPrefix("GET /old ") {
                    connection.answer("", status: "302 Found", fields: "Location: /new\r\n")
                } else {
                    connection.answer("new")
                }
            }
        }
        defer { server.stop() }
        let text = try await queue.add(
            NetworkDataOperation(url: server.url("/old")) { data, _ in String(decoding: data, as: UTF8.self) }
        ).value
        #expect(text == "new")
    }

    @Test func `fails with what the upstream said`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("gone", status: "410 Gone") }
        defer { server.stop() }
        let error = try await expectError(
            queue.add(NetworkDataOperation(url: server.url(), as: Repo.self, name: "load")))
        #expect(error.code == .httpStatus)
        #expect(error.upstream?.status == 410)
        #expect(error.upstream?.bodyExcerpt == "gone")
        #expect(error.delivery == "answered")
        #expect(error.publisher == "load")
    }

    @Test func `names the place in content that does not decode, and does not ask again`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll(#"{"name": "ada", "stars": "many"}"#)
        }
        defer { server.stop() }
        let operation = NetworkDataOperation(url: server.url(), as: Repo.self)
        let error = try await expectError(queue.add(operation.retry(.standard, method: .get)))
        #expect(error.code.description == "body.unreadable")
        #expect(error.detail.contains(" is no Repo at /stars: "))
        #expect(error.delivery == "answered")
        #expect(error.underlying is DecodingError)
        #expect(!error.retryable)
        #expect(server.requests.count == 1)
    }

    @Test func `names the member that content lacks`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll(#"[{"stars": 1}]"#) }
        defer { server.stop() }
        let error = try await expectError(queue.add(NetworkDataOperation(url: server.url(), as: [Repo].self)))
        #expect(error.detail.hasSuffix(#" at /0: it has no member "name"."#))
    }

    @Test func `keeps the error that its closure throws`() async throws {
        struct Unwelcome: Error {}
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        let error = try await expectError(
            queue.add(NetworkDataOperation(url: server.url()) { _, _ -> Int in throw Unwelcome() }))
        #expect(error.underlying is Unwelcome)
    }

    @Test func `says where nothing answers, and tries again when asked to`() async throws {
        let port = FaultServer.refusingPort()
        let attempts = Mutex(0)
        let call = HTTPCall(method: "POST", url: "http://127.0.0.1:\(port)/")
        let rule = RetrySpec(attemptsMax: 3, backoff: .fixed(.zero), jitter: .none)
        let operation = NetworkDataOperation(call) { data, _ in data }
            .observer(
                ClosureObserver { _, event in
                    if case .attemptFailed = event.kind { attempts.withLock { $0 += 1 } }
                }
            )
            .retry(rule, method: .post)
        let error = try await expectError(queue.add(operation))
        #expect(error.code.description == "connect.refused")
        #expect(error.delivery == "not_sent")
        #expect(error.phase == "connect")
        #expect(error.attempt == 3)
        #expect(attempts.withLock { $0 } == 2)
    }

    @Test func `says which URL it cannot call`() async throws {
        let error = try await expectError(
            queue.add(NetworkDataOperation(url: "ftp://a.example", as: Repo.self)))
        #expect(error.code.description == "http.url")
        #expect(error.delivery == "not_sent")
    }

    @Test func `can be an evaluator that turns an error into a value`() async throws {
        struct OrNothing: NetworkEvaluator {
            let url: String
            func call(in context: OperationContext) -> HTTPCall { HTTPCall(url: url) }
            func evaluate(_ answer: Result<HTTPCallAnswer, AOperationError>) -> Int {
                switch answer {
                case .success(let answer): answer.body.count
                case .failure: -1
                }
            }
        }
        let url = "http://127.0.0.1:\(FaultServer.refusingPort())/"
        #expect(try await queue.add(NetworkDataOperation(OrNothing(url: url))).value == -1)
    }
}
