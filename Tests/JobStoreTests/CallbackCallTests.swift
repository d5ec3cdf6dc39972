import JobKit
import JobStore
import StrictJSON
import Testing

@Suite struct `A request to a callback URL` {
    private let place = CallbackPlace(path: ["printed"], round: 0)

    private func call(
        _ id: JobID, _ body: String, failure: JobReport.Failure? = nil, retries: Int = 0
    ) -> CallbackCall {
        let content = OperationResult(
            method: "POST", query: JSONObject(), headers: [], contentType: "text/plain",
            body: Array(body.utf8))
        let report = JobReport(place: place, failure: failure, content: content)
        return CallbackCall(
            id, place, at: .noon(1), retries: retries,
            content: .report(report, by: "callback URL", digest: Array(body.utf8), nil))
    }

    private func word(_ outcome: CallbackOutcome) -> String {
        switch outcome {
        case .taken: "taken"
        case .repeated: "repeated"
        case .conflict: "conflict"
        case .over: "over"
        case .noted: "noted"
        case .moved: "moved"
        }
    }

    @Test(arguments: Engine.allCases) func `is taken once: the same body is known, another one is refused`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let claim = try await store.claimOne()
            try await store.move(claim, to: .waiting, dueAt: .noon(900))
            #expect(word(try await store.perform(call(job.id, "a"))) == "taken")
            #expect(word(try await store.perform(call(job.id, "a"))) == "repeated")
            #expect(word(try await store.perform(call(job.id, "b"))) == "conflict")
            let next = try await store.claimOne(now: .noon(2))
            #expect(next.posts == 1)
            guard case .message(let message) = next.journal.last?.event,
                case .report(let report) = message.content
            else { return #expect(Bool(false)) }
            #expect(report.place == place)
            #expect(report.content.body == Array("a".utf8))
            #expect(report.content.document.object?["method"] == "POST")
            try await store.move(next, to: .succeeded)
            // At any time.
            #expect(word(try await store.perform(call(job.id, "a"))) == "repeated")
            let kept = try #require(try store.makeReader().callback(of: job.id, place))
            #expect(kept.calls.map(\.status) == [409])
            let other = CallbackPlace(path: place.path, round: place.round + 1)
            #expect(try store.makeReader().callback(of: job.id, other) == nil)
        }
    }

    @Test(arguments: Engine.allCases) func `is too late after the end of the wait or of the job`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let claim = try await store.claimOne()
            let end = CallbackEnd(claim.key, place, at: .noon(2), heard: nil)
            #expect(try await store.perform(end) == .closed)
            #expect(word(try await store.perform(call(job.id, "a"))) == "over")
            try await store.move(claim, to: .failed)
            let other = try await store.add(.sample())
            try await store.move(try await store.claimOne(), to: .succeeded)
            #expect(word(try await store.perform(call(other.id, "a"))) == "over")
            #expect(try store.makeReader().job(other.id)?.state == .succeeded)
        }
    }

    @Test(arguments: Engine.allCases) func `that came first ends the wait, and a sign of life prolongs it`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let claim = try await store.claimOne()
            let beat = CallbackCall(
                job.id, place, at: .noon(30), content: .heartbeat(progress: Array(#"{"done":1}"#.utf8)))
            #expect(word(try await store.perform(beat)) == "noted")
            func end(_ heard: Timestamp?) async throws -> CallbackClosing {
                try await store.perform(CallbackEnd(claim.key, place, at: .noon(40), heard: heard))
            }
            #expect(try await end(.noon(1)) == .heard(.noon(30)))
            #expect(word(try await store.perform(call(job.id, "a"))) == "taken")
            #expect(try await end(.noon(30)) == .reported)
            #expect(try await end(nil) == .reported)
            #expect(word(try await store.perform(beat)) == "conflict")
        }
    }

    @Test(arguments: Engine.allCases)
    func `in a later try counts after a failure, but not after a completion`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let failure = JobReport.Failure(code: "jam", detail: nil)
            func failAndRetry() async throws {
                try await store.move(try await store.claimOne(), to: .failed)
                _ = try await store.retry(job.id)
            }
            #expect(word(try await store.perform(call(job.id, "x", failure: failure))) == "taken")
            try await failAndRetry()
            #expect(word(try await store.perform(call(job.id, "a", retries: 1))) == "taken")
            #expect(
                word(try await store.perform(call(job.id, "x", failure: failure, retries: 1))) == "repeated")
            try await failAndRetry()
            #expect(word(try await store.perform(call(job.id, "b", retries: 2))) == "conflict")
        }
    }

    @Test(arguments: Engine.allCases)
    func `for a job that was retried since it was looked at changes nothing, so that it is looked at again`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            try await store.move(try await store.claimOne(), to: .failed)
            _ = try await store.retry(job.id)
            let next = try await store.claimOne()
            try await store.move(next, to: .waiting, dueAt: .noon(900))
            for content in [
                call(job.id, "a").content, .heartbeat(progress: nil), .noted(status: 202, reason: "no"),
            ] {
                let late = CallbackCall(job.id, place, at: .noon(1), retries: 0, content: content)
                #expect(word(try await store.perform(late)) == "moved")
            }
            #expect(try store.makeReader().callback(of: job.id, place) == nil)
            #expect(word(try await store.perform(call(job.id, "a", retries: 1))) == "taken")
            // The number of retries outlives what a run reports.
            try await store.move(try await store.claimOne(now: .noon(2)), to: .failed)
            _ = try await store.retry(job.id)
            #expect(try store.makeReader().job(job.id)?.detail.retries == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `keeps the wait open that the server of an earlier run would end`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let late = try await store.claimOne()
            _ = try await store.die()
            let claim = try await store.claimOne()
            let refused = await refusal {
                _ = try await store.perform(CallbackEnd(late.key, place, at: .noon(2), heard: nil))
            }
            #expect(refused == .staleClaim)
            #expect(word(try await store.perform(call(job.id, "a"))) == "taken")
            try await store.move(claim, to: .succeeded)
            let gone = await refusal {
                _ = try await store.perform(CallbackEnd(claim.key, place, at: .noon(2), heard: nil))
            }
            #expect(gone == .staleClaim)
        }
    }

    @Test(arguments: Engine.allCases)
    func `that does not count is kept with its reason, the last hundred of them`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            for number in Int64(1)...103 {
                let progress = CallbackCall(
                    job.id, place, at: .noon(number), address: "192.0.2.1",
                    content: .noted(status: 202, reason: "number \(number)"))
                _ = try await store.perform(progress)
            }
            let kept = try #require(try store.makeReader().callback(of: job.id, place))
            #expect(kept.callCount == 103)
            #expect(kept.calls.count == 100)
            #expect(kept.calls.first?.reason == "number 4")
            #expect(kept.calls.last?.address == "192.0.2.1")
            try await store.move(try await store.claimOne(), to: .failed)
            try await store.perform(JobErasure(job.id))
            #expect(try store.makeReader().callback(of: job.id, place) == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `that is refused is kept at once for the first twenty, then every five minutes`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            func refuse(at second: Int64) async throws {
                let content = CallbackCall.Content.noted(status: 401, reason: "unsigned")
                _ = try await store.perform(CallbackCall(job.id, place, at: .noon(second), content: content))
            }
            func count() throws -> Int? { try store.makeReader().callback(of: job.id, place)?.callCount }
            for second in Int64(1)...40 { try await refuse(at: second) }
            #expect(try count() == 20)
            try await refuse(at: 319)
            #expect(try count() == 20)
            try await refuse(at: 320)
            try await refuse(at: 321)
            #expect(try count() == 21)
            #expect(word(try await store.perform(call(job.id, "a"))) == "taken")
            #expect(word(try await store.perform(call(job.id, "b"))) == "conflict")
            #expect(try count() == 21)
        }
    }

    @Test(arguments: Engine.allCases) func `with a large body keeps its content for the job`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            _ = try await store.claimOne()
            let artifact = ArtifactReference(sha256: String(repeating: "ab", count: 32), bytes: 300_000)
            var content = OperationResult(
                method: "POST", query: JSONObject(), headers: [], contentType: nil, body: [])
            content.artifact = artifact
            var random = SystemRandomNumberGenerator()
            let upload = UploadRecord(
                id: UploadID(bits: JobID(at: .noon(1), using: &random)), artifact: artifact, contentType: nil,
                createdAt: .noon(1), createdBy: "callback URL")
            let call = CallbackCall(
                job.id, place, at: .noon(1),
                content: .report(
                    JobReport(place: place, content: content), by: "callback URL", digest: [1], upload))
            #expect(word(try await store.perform(call)) == "taken")
            #expect(try store.makeReader().upload(upload.id)?.isUsed == true)
        }
    }
}
