internal import JobKit

/// The content of a result, of which some lines are in memory at a time.
struct LineInput: Sendable {
    /// The bytes after which a part takes no further line.
    private static let partBytes = 1 << 20
    /// The largest line: 1 MiB.
    private static let lineBytesMax = 1 << 20
    private static let pieceBytes = 256 << 10

    private enum Content: Sendable {
        case memory([UInt8])
        case file(any ArtifactReader)
    }

    private let content: Content
    private let name: String
    let byteCount: Int

    /// - Parameter name: the operation whose result it is.
    /// - Throws: `reference.type` for content in a coding; `storage.*`.
    init(
        _ result: OperationResult, of name: String, in place: any ArtifactPlace
    ) throws(AOperationError) {
        if let coding = result.contentCoding {
            throw AOperationError(
                .referenceType, detail: "The content of \(name) is in the coding \(coding), and has no lines."
            )
        }
        self.name = name
        byteCount = result.byteCount
        guard let artifact = result.artifact else {
            content = .memory(result.body)
            return
        }
        do throws(ArtifactFailure) { content = .file(try place.open(artifact)) } catch {
            throw AOperationError(artifact: error)
        }
    }

    /// The lines from a position on that make a part, of which there are `most` at most.
    /// - Throws: `reference.too_large` for a line that is too long; `storage.*`.
    func part(from start: LinePosition, atMost most: Int) async throws(AOperationError) -> LinePart {
        var part = LinePart(start: start)
        while part.ends.count < most, part.content.count < Self.partBytes || part.ends.isEmpty {
            let known = part.content.count
            let piece = try await piece(at: start.offset + known)
            if piece.isEmpty {
                if known > part.ends.last ?? 0 { part.ends.append(known) }
                return part
            }
            part.content += piece
            for index in piece.indices where piece[index] == 0x0A {
                try check(known + index - (part.ends.last ?? 0), line: part.end.line)
                part.ends.append(known + index + 1)
                if part.ends.count == most { return part }
            }
            try check(part.content.count - (part.ends.last ?? 0), line: part.end.line)
        }
        return part
    }

    /// - Throws: `reference.too_large` when a line has too many bytes.
    private func check(_ bytes: Int, line: Int) throws(AOperationError) {
        guard bytes > Self.lineBytesMax else { return }
        throw AOperationError(
            .referenceTooLarge,
            detail: "Line \(line) of \(name) has more than \(Self.lineBytesMax >> 20) MiB.")
    }

    /// Reads all lines, in turns, up to the first that is too many or too long.
    /// - Throws: `transform.too_large`, `reference.too_large`, `storage.*`; also when the operation is stopped.
    func check(atMost most: Int, _ context: OperationContext) async throws {
        var (lines, offset, begin) = (0, 0, 0)
        while offset < byteCount {
            let piece = try await piece(at: offset)
            if piece.isEmpty { return }
            for index in piece.indices where piece[index] == 0x0A {
                try check(offset + index - begin, line: lines + 1)
                (lines, begin) = (lines + 1, offset + index + 1)
            }
            offset += piece.count
            try check(offset - begin, line: lines + 1)
            guard lines + (offset > begin ? 1 : 0) <= most else {
                throw AOperationError(
                    .transformTooLarge,
                    detail:
                        "\(name) has more than \(most) lines, empty ones included (max_items). Spread them over several "
                        + "jobs.")
            }
            await Task.yield()
            try context.checkStop()
        }
    }

    /// The next bytes; empty at the end.
    private func piece(at offset: Int) async throws(AOperationError) -> [UInt8] {
        let range = offset..<min(byteCount, max(offset, offset + Self.pieceBytes))
        if range.isEmpty { return [] }
        switch content {
        case .memory(let bytes): return Array(bytes[range])
        case .file(let reader):
            do throws(ArtifactFailure) { return try await reader.bytes(range) } catch {
                throw AOperationError(artifact: error)
            }
        }
    }
}
