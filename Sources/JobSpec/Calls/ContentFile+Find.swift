internal import JobKit

extension ContentFile {
    /// The content of a reference, when it is in a file.
    /// - Returns: nil for a result that is small enough for memory, or that does not exist.
    /// - Throws: `storage.*` when the content does not exist any more.
    static func find(
        _ reference: ContentReference, _ references: ReferenceReader, in context: OperationContext
    ) async throws(AOperationError) -> ContentFile? {
        switch reference {
        case .operation(let name):
            guard let result = references.result(of: name), let artifact = result.artifact else { return nil }
            return try await open(
                artifact, contentType: result.contentType, coding: result.contentCoding, references,
                in: context)
        case .upload(let id):
            let found = try await content(of: id, in: context)
            return try await open(
                found.artifact, contentType: found.contentType, coding: nil, references, in: context)
        }
    }

    private static func content(
        of id: UploadID, in context: OperationContext
    ) async throws(AOperationError) -> UploadedContent {
        let found: UploadedContent?
        do throws(ArtifactFailure) {
            found = try await context.core.environment.uploads?.content(of: id)
        } catch {
            throw AOperationError(artifact: error)
        }
        if let found { return found }
        throw AOperationError(
            .storageMissing,
            detail:
                "There is no upload \(id). Send the content again with POST /v1/artifacts, and submit a new job."
        )
    }

    private static func open(
        _ artifact: ArtifactReference, contentType: String?, coding: String?, _ references: ReferenceReader,
        in context: OperationContext
    ) async throws(AOperationError) -> ContentFile {
        guard let place = references.board.artifacts else {
            throw AOperationError(.storageMissing, detail: "Nothing here can read artifacts.")
        }
        do throws(ArtifactFailure) {
            if place.keepsElsewhere { try await place.fetch([artifact], for: context.seed) }
            return ContentFile(
                artifact: artifact, reader: try place.open(artifact), contentType: contentType, coding: coding
            )
        } catch {
            throw AOperationError(artifact: error)
        }
    }
}
