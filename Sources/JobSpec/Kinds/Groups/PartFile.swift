internal import HTTPMessage
internal import JobKit

/// A file of results, a line for each member. It is removed when an operation that writes it fails or stops.
struct PartFile: Sendable {
    private static let pieceBytes = 256 << 10

    private let place: any ArtifactPlace
    private let draft: any ArtifactDraft
    private let context: OperationContext

    /// - Parameter path: the operation whose result it becomes.
    init(
        path: [String], in place: any ArtifactPlace, _ context: OperationContext
    ) throws(AOperationError) {
        self.place = place
        self.context = context
        let key = ArtifactKey(owner: context.seed, name: "\(path.joined(separator: "/"))#1")
        do throws(ArtifactFailure) { draft = try place.newPartial(key) } catch {
            throw AOperationError(artifact: error)
        }
    }

    /// Writes the file with `body`, and finishes it.
    func written(
        named name: String? = nil, _ body: (PartFile) async throws -> Void
    ) async throws -> OperationResult {
        do {
            try await body(self)
            return try await draft.finishLines(named: name)
        } catch {
            draft.discard()
            throw error
        }
    }

    func append(_ lines: [UInt8]) async throws {
        for start in stride(from: 0, to: lines.count, by: Self.pieceBytes) {
            let piece = lines.span.extracting(start..<min(lines.count, start + Self.pieceBytes))
            do throws(ArtifactFailure) { try draft.append(piece) } catch {
                throw AOperationError(artifact: error)
            }
            try await pause()
        }
    }

    func append(contentsOf file: ArtifactReference) async throws {
        do {
            let reader = try place.open(file)
            var offset = 0
            while offset < file.bytes {
                let end = min(file.bytes, offset + max(1, reader.pieceBytes))
                try await append(reader.bytes(offset..<end))
                offset = end
            }
        } catch let failure as ArtifactFailure {
            throw AOperationError(artifact: failure)
        }
    }

    /// Lets others have a turn, and waits while the disk cannot keep up.
    private func pause() async throws(CancellationError) {
        await place.waitForDisk()
        await Task.yield()
        try context.checkStop()
    }
}
