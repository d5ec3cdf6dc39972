internal import JobKit

/// A file of results, a line for each member.
struct PartFile: Sendable {
    private let place: any ArtifactPlace
    private let draft: any ArtifactDraft

    /// - Parameter path: the operation whose result it becomes.
    init(
        path: [String], in place: any ArtifactPlace, _ context: AOperationContext
    ) throws(AOperationError) {
        self.place = place
        let key = ArtifactKey(owner: context.seed, name: "\(path.joined(separator: "/"))#1")
        do throws(ArtifactFailure) { draft = try place.newPartial(key) } catch {
            throw AOperationError(artifact: error)
        }
    }

    func append(_ lines: [UInt8]) throws(AOperationError) {
        do throws(ArtifactFailure) { try draft.append(lines.span) } catch {
            draft.discard()
            throw AOperationError(artifact: error)
        }
    }

    func append(contentsOf file: ArtifactReference) async throws(AOperationError) {
        do throws(ArtifactFailure) {
            let reader = try place.open(file)
            var offset = 0
            while offset < file.bytes {
                let end = min(file.bytes, offset + max(1, reader.pieceBytes))
                let piece = try await reader.bytes(offset..<end)
                try draft.append(piece.span)
                offset = end
            }
        } catch {
            draft.discard()
            throw AOperationError(artifact: error)
        }
    }

    func finish(named name: String? = nil) async throws(AOperationError) -> OperationResult {
        var result = OperationResult(
            status: nil, headers: [], contentType: "application/x-ndjson", body: [])
        do throws(ArtifactFailure) {
            guard case .artifact(var artifact) = try await draft.finish() else {
                throw ArtifactFailure(.unavailable, "The content was not kept in a file.")
            }
            artifact.name = name
            result.artifact = artifact
            return result
        } catch {
            throw AOperationError(artifact: error)
        }
    }
}
