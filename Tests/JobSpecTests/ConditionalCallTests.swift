import HTTPMessage
import JobSpec
import StrictJSON
import Synchronization
import TestOperations
import Testing

@testable import JobKit

/// Knows one answer, whatever the request.
private final class OneAnswer: ValidatorBook {
    private let known: AnswerValidator

    init(_ known: AnswerValidator) { self.known = known }

    func validator(for key: String) async throws -> AnswerValidator? { known }

    func remember(_ validator: AnswerValidator, for key: String) async throws {}
}

@Suite struct `A conditional call` {
    /// Runs the job `job_test` with one call, `get`, to an origin whose content has not changed.
    private func run(_ known: AnswerValidator) async throws -> (status: JSONValue?, fields: [String]) {
        let run = SpecRun(fields: { _ in [("ETag", "\"v1\"")] }) { call, _ in
            call.fields.contains { $0.name == "If-None-Match" } ? (304, "") : (200, #"{"a":1}"#)
        }
        let book = OneAnswer(known)
        run.prepare.withLock { prepare in
            prepare = { environment in
                environment.validators = book
                environment.digest = { _ in "digest" }
            }
        }
        let ending = try await run.ending(
            #"""
            {"type":"group","operations":[
              {"type":"network","name":"get","request":{"url":"https://a.example/","conditional":true}},
              {"type":"value","name":"status","value":{"$get":"get","at":"/status"}}]}
            """#)
        let call = try #require(run.calls.all.first)
        #expect(ending.state == .succeeded)
        return (ending.result?.bodyValue.object?["status"], call.fields.map { $0.name })
    }

    private func known(by job: String, _ path: [String]) -> AnswerValidator {
        AnswerValidator(entityTag: "\"v1\"", lastModified: nil, job: job, path: path)
    }

    @Test func `gets no content that another operation has`() async throws {
        for other in [known(by: "job_other", ["get"]), known(by: "job_test", ["before"])] {
            let (status, fields) = try await run(other)
            #expect(status == 304)
            #expect(fields.contains("If-None-Match"))
        }
    }

    /// After a crash between the two writes, or when finished work is repeated.
    @Test func `gets the content that it was itself known to have`() async throws {
        let (status, fields) = try await run(known(by: "job_test", ["get"]))
        #expect(status == 200)
        #expect(!fields.contains("If-None-Match"))
    }
}
