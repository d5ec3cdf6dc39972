internal import HTTPMessage
internal import JobKit

/// Request content that is an artifact, read piece by piece while it is sent.
final class ArtifactSource: HTTPContentSource {
    private let reader: any ArtifactReader

    init(_ reader: any ArtifactReader) { self.reader = reader }

    var byteCount: Int { reader.byteCount }

    func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) throws(HTTPCallFailure) -> Int {
        do throws(ArtifactFailure) { return try reader.read(at: offset, into: &bytes) } catch {
            throw HTTPCallFailure(
                code: error.errorCode.description, detail: error.detail, phase: .send, delivery: .sentUnknown)
        }
    }
}

/// The content of an earlier operation that is too large for memory, streamed into a request.
struct StreamedContent: Sendable {
    private let source: ArtifactSource
    private let contentType: String
    private let coding: String?

    /// The content of `call`, when it is an artifact, on the disk of this machine.
    /// - Parameter owner: the job's id.
    /// - Returns: nil for other or small content.
    /// - Throws: `storage.*` when it does not exist any more.
    static func make(
        _ call: NetworkSpec, _ references: ReferenceReader, for owner: String
    ) async throws(AOperationError) -> StreamedContent? {
        guard case .artifact(let reference) = call.body,
            let result = references.result(of: reference.operation), let artifact = result.artifact
        else { return nil }
        guard let place = references.board.artifacts else {
            throw AOperationError(.storageMissing, detail: "Nothing here can read artifacts.")
        }
        do throws(ArtifactFailure) {
            if place.keepsElsewhere { try await place.fetch([artifact], for: owner) }
            return StreamedContent(
                source: ArtifactSource(try place.open(artifact)),
                contentType: result.contentType ?? "application/octet-stream", coding: result.contentCoding)
        } catch {
            throw AOperationError(artifact: error)
        }
    }

    /// Sets the content of a request that was built without it.
    func apply(to call: inout HTTPCall) {
        call.source = source
        call.describeContent(as: contentType, coding: coding)
    }
}
