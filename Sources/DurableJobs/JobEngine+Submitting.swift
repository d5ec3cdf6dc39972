public import JobKit
import JobRunner
import JobSpec
import JobStore
import OpenSSLCrypto
public import StrictJSON

extension JobEngine {
    /// The submitter in journals and errors.
    static let submitter = "the program"

    /// Stores a job of a kind; when this returns, the job is durable.
    ///
    /// ```swift
    /// let job = try await jobs.submit(
    ///     thumbnail, Picture(path: "cat.jpg", width: 200),
    ///     settings: ["queue": "images", "unique": "cat.jpg", "retry": ["max_attempts": 5]])
    /// ```
    ///
    /// - Parameters:
    ///   - kind: one of the kinds that the engine was started with.
    ///   - parameters: the parameters, whose JSON form is stored: at most 1 MiB with the settings.
    ///   - settings: further members of the spec, such as `queue`, `queue_key`, `priority`, `run_at`, `unique`,
    ///     `labels`, `retry` and `timeouts`. Default: none, which is one attempt in the queue `default`.
    ///   - idempotencyKey: 1 to 255 printable ASCII characters without quotes; the same submission with the same key
    ///     finds its job for 24 hours. Nil, the default, makes a job each time.
    /// - Returns: the job; with an idempotency key or a `unique` that joins, the one that is there already.
    /// - Throws: `invalidSpec`, `uniqueTaken`, `keyReused`, `notFound` when the job of an idempotency key was erased,
    ///   `full`, `unavailable`, `stopped`.
    @discardableResult
    public func submit<Parameters, Output>(
        _ kind: DurableKind<Parameters, Output>, _ parameters: Parameters, settings: JSONValue = [:],
        idempotencyKey: String? = nil
    ) async throws(JobEngineError) -> JobHandle<Output> {
        let value: JSONValue
        do { value = try JSONValue(encoding: parameters) } catch {
            throw JobEngineError(.invalidSpec, "The parameters of \(kind.name) cannot be encoded: \(error)")
        }
        guard case .object(var spec) = settings else {
            throw JobEngineError(.invalidSpec, "settings must be an object of members of a spec.")
        }
        for (name, value) in [("type", JSONValue.string(kind.name)), (DurableParameters.member, value)] {
            guard spec[name] == nil else {
                throw JobEngineError(.invalidSpec, "settings must not have \"\(name)\": the kind says it.")
            }
            spec[name] = value
        }
        let id = try await submit(JSONValue.object(spec).encoded(), idempotencyKey) { spec in
            guard case .literal? = spec.operation.customMembers?.first?.value else {
                return JobEngineError(
                    .invalidSpec,
                    "The parameters of \(kind.name) have a member such as \"$get\", which in a spec refers to another "
                        + "value. Give it another name.")
            }
            return nil
        }
        return JobHandle(id: id, engine: self, of: kind)
    }

    /// Stores a job; when this returns, the job is durable.
    /// - Parameters:
    ///   - spec: a job spec, with built-in kinds and those that the engine was started with. At most 1 MiB.
    ///   - idempotencyKey: 1 to 255 printable ASCII characters without quotes; the same submission with the same key
    ///     finds its job for 24 hours. Nil, the default, makes a job each time.
    /// - Returns: the job; with an idempotency key or a `unique` that joins, the one that is there already.
    /// - Throws: `invalidSpec`, `uniqueTaken`, `keyReused`, `notFound` when the job of an idempotency key was erased,
    ///   `full`, `unavailable`, `stopped`.
    @discardableResult
    public func submit(
        _ spec: JSONValue, idempotencyKey: String? = nil
    ) async throws(JobEngineError) -> JobHandle<OperationResult> {
        JobHandle(id: try await submit(spec.encoded(), idempotencyKey), engine: self)
    }

    /// Stores a job whose spec is JSON text; when this returns, the job is durable.
    /// - Parameters:
    ///   - json: the text of a job spec, at most 1 MiB. Errors in it are reported with line and column.
    ///   - idempotencyKey: 1 to 255 printable ASCII characters without quotes; the same submission with the same key
    ///     finds its job for 24 hours. Nil, the default, makes a job each time.
    /// - Returns: the job; with an idempotency key or a `unique` that joins, the one that is there already.
    /// - Throws: `invalidSpec`, `uniqueTaken`, `keyReused`, `notFound` when the job of an idempotency key was erased,
    ///   `full`, `unavailable`, `stopped`.
    @discardableResult
    public func submit(
        json: String, idempotencyKey: String? = nil
    ) async throws(JobEngineError) -> JobHandle<OperationResult> {
        JobHandle(id: try await submit(Array(json.utf8), idempotencyKey), engine: self)
    }

    private func submit(
        _ body: [UInt8], _ idempotencyKey: String?,
        checking check: @escaping @Sendable (JobSpec) -> JobEngineError? = { _ in nil }
    ) async throws(JobEngineError) -> JobID {
        if isStopping { throw .stopped }
        let now = SystemClock().now
        if let idempotencyKey {
            guard IdempotencyClaim.isKey(Array(idempotencyKey.utf8)) else {
                throw JobEngineError(
                    .invalidSpec,
                    "The idempotency key must be 1 to \(IdempotencyClaim.bytesMax) printable ASCII characters without "
                        + "quotes.")
            }
        }
        let job = try await read { [self] reader throws(JobStoreError) in
            newJob(body, now, idempotencyKey, reader, check)
        }.get()
        let result = await withCheckedContinuation { continuation in
            store.submit(job) { continuation.resume(returning: $0) }
        }
        UniqueKey.stopReplaced(by: result, runner)
        switch result {
        case .success(.created(let job)), .success(.replacing(let job, _)), .success(.joined(let job)),
            .success(.replayed(let job)):
            return job.id
        case .success(.keyReused(let holder)):
            throw JobEngineError(
                .keyReused(holder),
                "This idempotency key made the job \(holder) with another spec. Use a new key for a new job.")
        case .success(.replayedGone(let id)):
            throw JobEngineError(
                .notFound,
                "This idempotency key made the job \(id), which has been erased since. Use a new key for a new job."
            )
        case .failure(let error): throw failure(error)
        }
    }

    private func newJob(
        _ body: [UInt8], _ now: Timestamp, _ idempotencyKey: String?, _ reader: any TemplateReads,
        _ check: (JobSpec) -> JobEngineError?
    ) -> Result<NewJob, JobEngineError> {
        do throws(Intake.Refusal) {
            let accepted = try intake.read(body, with: TemplateBook(reader), now: now)
            if let error = check(accepted.known.spec) { return .failure(error) }
            if !accepted.known.spec.callbacks.isEmpty { return .failure(JobEngineError(Self.hasCallbacks)) }
            var job = try accepted.job(by: Self.submitter, now: now, random: random.pair())
            job.idempotency = idempotencyKey.map {
                IdempotencyClaim(
                    key: $0, of: "", for: [accepted.given.map { CanonicalJSON.encode($0) } ?? body], now: now)
            }
            return .success(job)
        } catch {
            switch error {
            case .store(let error): return .failure(failure(error))
            case .problems(let problems): return .failure(JobEngineError(problems))
            }
        }
    }

    private static var hasCallbacks: SpecProblem {
        SpecProblem(
            pointer: JSONPointer(tokens: ["callbacks"]), code: SpecProblemCode.notAvailable.rawValue,
            detail:
                "Callbacks are made by a server. Observe the job, or let its last operation make the call.")
    }

    /// The error of a caller when the store fails.
    func failure(_ error: JobStoreError) -> JobEngineError {
        isStopping && error.code == .unavailable ? .stopped : JobEngineError(error)
    }
}
