import DurableJobs
import HTTPMessage
import JobKit
import JobSpec
import JobStore
import OpenSSLCrypto
import StrictJSON

/// The wait that a callback URL is for, as the store has it now.
struct CallbackTarget: Sendable {
    let job: JobRecord
    let operation: OperationSpec
    let rules: CallbackRules
    /// The retries of the job by people.
    var retries: Int { job.detail.retries }
    /// Whether the wait has ended, or the URL belongs to an earlier try.
    let isOver: Bool

    /// The token of a path behind `/callbacks/`, without a look at the store.
    /// - Throws: `.callbackNotFound`, the same for all that no server of this store made.
    static func token(_ path: ArraySlice<UInt8>, _ server: Door) throws(Problem) -> CallbackToken {
        guard let token = CallbackToken(path.prefix { $0 != 0x2F }), server.settings.secrets.hasMade(token)
        else {
            throw notFound
        }
        // From here on its text is redacted wherever it appears.
        server.settings.scrubbers.all.knowCallbacks()
        return token
    }

    private static let notFound = Problem(
        .callbackNotFound, "There is no such callback URL. Use the one that was handed out, whole.")

    /// - Throws: `.callbackNotFound` also for a job that is erased.
    init(_ token: CallbackToken, _ reader: any JobReader, _ server: Door) throws(Problem) {
        guard var excerpt = try JournalExcerpt(of: token.job, from: reader, server.journals) else {
            throw Self.notFound
        }
        let path = token.place.path
        // Its members may be forgotten, as those of an ended part of a map are: the token says that it was there.
        guard let operation = excerpt.operation(at: path), let rules = operation.callbackRules else {
            throw Self.notFound
        }
        var fold = try excerpt.fold(of: path)
        if let sender = fold.sender(ofCallbackAt: path) { fold = try excerpt.fold(of: sender) }
        job = excerpt.job
        self.operation = operation
        self.rules = rules
        isOver =
            job.state.isFinal || fold.callbackPlace(at: path) != token.place
            || (0...path.count).contains { fold.histories[Array(path.prefix($0))]?.ending != nil }
    }

    // MARK: Decisions

    /// Why a request is refused: the problem of its answer.
    /// - Parameters:
    ///   - method: nil on the paths that take one method, whatever `methods` says.
    ///   - body: nil where it is too large to be looked into.
    func objection(
        to request: HTTPRequestHead, _ method: HTTPMethod?, _ count: Int, _ body: [UInt8]?, _ server: Door,
        at now: Timestamp
    ) -> Problem? {
        if let method, !rules.methods.contains(where: { $0.hasSameBytes(as: method.name) }) {
            let allowed = rules.methods.joined(separator: ", ")
            return Problem(.methodNotAllowed, "This callback URL takes \(allowed).").field("Allow", allowed)
        }
        guard count <= rules.bytesMax else {
            return Problem(
                .payloadTooLarge,
                "The body has \(count) bytes, more than \(rules.bytesMax), the limit of this callback.")
        }
        guard let verify = rules.verify else { return nil }
        guard let body else {
            return Problem(.payloadTooLarge, "The body is too large to be verified.")
        }
        do throws(VerifyRefusal) {
            let verifier = try RequestVerifier(
                verify, vault: server.settings.secrets.scoped(to: job.tenant), checks: OpenSSLDigests())
            try verifier.verify(
                ArrivedRequest(
                    method: request.method.name, host: Array(request.fields.first("host") ?? []),
                    target: Array(request.target.pathBytes)
                        + (request.target.queryBytes.map { [0x3F] + Array($0) } ?? []),
                    fields: request.fields, body: body), at: now)
            return nil
        } catch {
            if error.code == .noKey {
                return Problem(
                    .callbackUnready,
                    "This callback URL cannot verify its senders at the moment. Send it again later.")
            }
            return Problem(.callbackUnverified, error.detail)
                .field("WWW-Authenticate", "\(verify.scheme.challenge) realm=\"callback\"")
        }
    }

    /// Redacts the tokens of callback URLs, and nothing else: what it does never depends on the secrets of a server.
    static let tokens: SecretScrubber = {
        let scrubber = SecretScrubber()
        scrubber.knowCallbacks()
        return scrubber
    }()

    /// The request as the result of the operation, without what identifies the sender, and without the URL: senders
    /// repeat it in a `Referer`, in their query or in their report. What is kept in a file is as it came.
    func content(
        of request: HTTPRequestHead, _ method: HTTPMethod, contentType: String?, body: ArtifactContent
    ) -> OperationResult {
        let hidden = Set(
            (["authorization", "proxy-authorization", "cookie"] + (rules.verify?.confidentialFields ?? []))
                .map { ByteKey($0) })
        let headers = request.fields.compactMap { field -> OperationResult.Header? in
            let name = field.name.lowercased()
            if hidden.contains(ByteKey(name)) { return nil }
            return .init(name: name, value: Self.tokens.scrubbed(field.value))
        }
        var query = JSONObject()
        for (name, value) in request.target.query {
            let name = Self.tokens.scrubbed(name)
            if query[name] == nil { query[name] = .string(Self.tokens.scrubbed(value)) }
        }
        var bytes: [UInt8] = []
        if case .inline(let inline) = body { bytes = Self.tokens.scrubbed(inline) }
        var result = OperationResult(
            method: method.name, query: query, headers: headers,
            contentType: contentType.map { Self.tokens.scrubbed($0) }, body: bytes)
        if case .artifact(let artifact) = body { result.artifact = artifact }
        return result
    }

    /// Whether a request meets `when`.
    /// - Throws: `.invalidBody` when that cannot be decided.
    func counts(_ content: OperationResult, _ body: [UInt8]?) throws(Problem) -> Bool {
        guard let when = rules.when else { return true }
        var read = content
        read.artifact = nil
        read.body = body ?? []
        let nothing = Binding.Lookup(StepMeter(StepMeter.briefMax, of: operation.name)) {
            _ throws(AOperationError) in .null
        }
        do throws(AOperationError) {
            return try when.evaluate(document: read.document, lookup: nothing)
        } catch {
            throw Problem(.invalidBody, "It cannot be decided whether this request counts: \(error.detail)")
        }
    }
}
