internal import HTTPMessage
internal import JobKit

/// A download described by a spec. Attempts resume where the previous one ended, also after a restart.
struct DownloadOperation: Sendable {
    /// The maximum number of requests per attempt: again from the start when the partial content is outdated, or for
    /// the next range when one was shorter than requested.
    private static let roundsMax = 100

    let name: String
    let download: DownloadSpec
    let expect: Expectation
    /// Answers references to other operations.
    let references: ReferenceReader

    /// The download with its retry rule.
    func recipe(retry: RetrySpec) -> OperationRecipe<OperationResult> {
        var recipe = OperationRecipe<OperationResult>(name) { context in
            try await self.execute(in: context)
        }
        recipe.settings = OperationSettings(
            calling: download.call, retry: retry, url: { download.call.nextURL(references, in: $0) })
        return recipe
    }

    private func execute(in context: OperationContext) async throws(AOperationError) -> OperationResult {
        let references = references.attempt(in: context)
        let sha256 = try await sha256(references)
        guard let place = context.artifacts else {
            throw AOperationError(.storage, detail: "There is no place here where content could be kept.")
        }
        let sink = DownloadSink(
            context: context, place: place, rules: rules(sha256), resumes: download.resumes)
        do throws(ArtifactFailure) { try await sink.open() } catch { throw AOperationError(artifact: error) }
        var last: HTTPCallAnswer?
        var isAgain = false
        for _ in 0..<Self.roundsMax {
            if let total = sink.past?.total, total > 0, sink.byteCount == total { break }
            let answer: HTTPCallAnswer
            do throws(AOperationError) {
                answer = try await ask(for: sink.nextRange(), into: sink, context, references)
            } catch {
                guard case .outdated = sink.answer.0 else {
                    // What did not fit would only take the space that others need.
                    if error.code == .storageFull { sink.startOver() } else { await sink.keep() }
                    throw error
                }
                sink.startOver()
                if isAgain { throw error }
                isAgain = true
                continue
            }
            last = answer
            switch sink.answer.0 {
            case .content:
                if let total = sink.past?.total, sink.byteCount < total { continue }
            case .nothingLeft: break
            default:
                await sink.keep()
                throw try await refusal(of: answer, sink.answer.excerpt, references)
            }
            break
        }
        return try await finish(sink, last, sha256, references)
    }

    /// Turns the complete content into an artifact, and verifies it.
    private func finish(
        _ sink: DownloadSink, _ answer: HTTPCallAnswer?, _ sha256: String?, _ references: ReferenceReader
    ) async throws(AOperationError) -> OperationResult {
        let count = sink.byteCount
        guard var result = sink.past?.head, sink.past?.total ?? count == count else {
            await sink.keep()
            throw AOperationError(
                ErrorCode("body.truncated"), detail: "The content ended after \(count) bytes.",
                retryable: true)
        }
        if let size = download.verify.size, size != count {
            sink.startOver()
            throw AOperationError(.downloadSize, detail: DownloadRules.wrongSize(size, count))
        }
        var artifact: ArtifactReference
        do throws(ArtifactFailure) { artifact = try await sink.finish() } catch {
            throw AOperationError(artifact: error)
        }
        if let wanted = sha256, wanted != artifact.sha256 {
            if sink.hasHidden { throw Self.hidden }
            throw AOperationError(
                .downloadDigest,
                detail:
                    "The content must have the SHA-256 \(wanted) (verify.sha256), and has \(artifact.sha256).",
                retryable: true)
        }
        artifact.name = download.call.target.name(at: sink.path, name)
        result.artifact = artifact
        result.headers.removeAll { $0.name == Self.hiddenField }
        if sink.hasHidden { result.headers.append(.init(name: Self.hiddenField, value: "***")) }
        var shown =
            answer ?? HTTPCallAnswer(status: 200, fields: [], body: [], exchange: HTTPCallExchange())
        // The whole content is checked, not its last range.
        shown.status = result.status ?? shown.status
        let captured = CapturedAnswer(answer: shown, result: result)
        if let error = try await expect.check(captured, references) { throw error }
        return result
    }

    /// The field of a result whose content has secrets replaced by stars.
    static let hiddenField = "secrets-hidden"

    /// The content has a different digest because a secret in it was redacted.
    private static var hidden: AOperationError {
        AOperationError(
            .downloadDigest,
            detail:
                "The content contains the value of a stored secret, which is stored as ***, so its SHA-256 "
                + "differs from verify.sha256. Omit verify.sha256 to accept that, or change the secret if it is "
                + "a common word.")
    }

    /// The error of an answer without content.
    private func refusal(
        of answer: HTTPCallAnswer, _ excerpt: [UInt8], _ references: ReferenceReader
    ) async throws(AOperationError) -> AOperationError {
        var answer = answer
        answer.body = excerpt
        let captured = CapturedAnswer(answer: answer, result: OperationResult(answer: answer))
        if let error = try await expect.check(captured, references) { return error }
        return AOperationError(
            .downloadRange, title: ErrorCode.downloadRange.title,
            detail: "The upstream answered \(answer.status), which brings no content.", answer: answer)
    }

    private func ask(
        for range: (offset: Int, validator: String)?, into sink: DownloadSink, _ context: OperationContext,
        _ references: ReferenceReader
    ) async throws(AOperationError) -> HTTPCallAnswer {
        try await CallDispatch(download.call, by: references.board.services, in: context, references).send {
            call in
            // Ranges refer to the content as sent: it must not be compressed.
            call.route.compression = false
            if !call.fields.contains(where: { $0.name.lowercased() == "accept-encoding" }) {
                call.fields.append(("Accept-Encoding", "identity"))
            }
            call.answerBytesMax = download.call.target.bytesMax
            call.sink = sink
            guard let range else { return }
            call.fields.append(("Range", "bytes=\(range.offset)-"))
            call.fields.append(("If-Range", range.validator))
        }
    }

    private func rules(_ sha256: String?) -> DownloadRules {
        DownloadRules(
            bytesMax: download.call.target.bytesMax, size: download.verify.size,
            sha256: sha256, contentType: download.verify.contentType,
            accepts: { [expect] in expect.isExpected(status: $0) })
    }

    private func sha256(_ references: ReferenceReader) async throws(AOperationError) -> String? {
        guard let binding = download.verify.sha256 else { return nil }
        let text = try await references.evaluate { lookup throws(AOperationError) in
            try binding.resolveText("verify.sha256", lookup: lookup).lowercased()
        }
        guard ArtifactReference.isDigest(text) else {
            throw AOperationError(
                .referenceType,
                detail: "verify.sha256 must be 64 hexadecimal digits, and was given another text.")
        }
        return text
    }
}
