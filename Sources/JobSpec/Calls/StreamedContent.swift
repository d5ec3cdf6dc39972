internal import HTTPMessage
internal import JobKit

/// Request content that is in files, in part or as a whole, and read from them while it is sent.
struct StreamedContent: Sendable {
    private let source: PieceSource
    private let contentType: String
    private let coding: String?
    private let isConfidential: Bool
    /// The hexadecimal digits of a digest in a boundary: 160 bits.
    private static let markBytes = 40

    /// The content of `call`, when some of it is in a file.
    /// - Parameter path: with the seed it determines the boundary of a form.
    /// - Returns: nil for content that is small enough for memory.
    /// - Throws: `storage.*` when a file does not exist any more; what the other parts of a form throw.
    static func make(
        _ call: NetworkSpec, _ references: ReferenceReader, in context: OperationContext, path: [String]
    ) async throws(AOperationError) -> StreamedContent? {
        switch call.body {
        case .artifact(let reference):
            guard let file = try await ContentFile.find(reference, references, in: context) else {
                return nil
            }
            return StreamedContent(
                source: PieceSource([.file(file.reader)]),
                contentType: file.contentType ?? "application/octet-stream", coding: file.coding,
                isConfidential: false)
        case .multipart(let form):
            let files = try await files(of: form, references, in: context)
            if files.isEmpty { return nil }
            return try await make(form, files, call, references, in: context, path: path)
        default: return nil
        }
    }

    private static func files(
        of form: MultipartSpec, _ references: ReferenceReader, in context: OperationContext
    ) async throws(AOperationError) -> [Int: ContentFile] {
        var files: [Int: ContentFile] = [:]
        for (index, part) in form.parts.enumerated() {
            guard case .artifact(let reference) = part.content else { continue }
            files[index] = try await ContentFile.find(reference, references, in: context)
        }
        return files
    }

    private static func make(
        _ form: MultipartSpec, _ files: [Int: ContentFile], _ call: NetworkSpec,
        _ references: ReferenceReader, in context: OperationContext, path: [String]
    ) async throws(AOperationError) -> StreamedContent {
        // A file is not searched for the boundary, which depends on what is in it: no file can have its own.
        let digests = files.sorted { $0.key < $1.key }.map(\.value.artifact.sha256)
        let words = ([context.seed] + path + digests).joined(separator: "/")
        let mark = context.core.environment.digest.map { String($0(Array(words.utf8)).suffix(markBytes)) }
        let content = try await references.evaluate { lookup throws(AOperationError) in
            try form.content(lookup: lookup, seed: words, path: path, files: files, mark: mark)
        }
        return StreamedContent(
            source: PieceSource(content.pieces), contentType: content.contentType, coding: nil,
            isConfidential: call.body?.namesSecret ?? false)
    }

    /// Sets the content of a request that was built without it.
    func apply(to call: inout HTTPCall) {
        call.source = source
        call.hasConfidentialContent = isConfidential
        call.describeContent(as: contentType, coding: coding)
    }
}

/// Request content in pieces, one after the other.
private final class PieceSource: HTTPContentSource {
    private let pieces: [ContentPiece]
    /// The position behind each piece.
    private let ends: [Int]

    var byteCount: Int { ends.last ?? 0 }

    init(_ pieces: [ContentPiece]) {
        self.pieces = pieces
        var end = 0
        ends = pieces.map { piece in
            end += piece.byteCount
            return end
        }
    }

    func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) throws(HTTPCallFailure) -> Int {
        guard let index = ends.firstIndex(where: { $0 > offset }) else { return 0 }
        let piece = pieces[index]
        let start = offset - (ends[index] - piece.byteCount)
        switch piece {
        case .bytes(let content):
            let count = min(bytes.count, content.count - start)
            for place in 0..<count { bytes[place] = content[start + place] }
            return count
        case .file(let reader):
            do throws(ArtifactFailure) { return try reader.read(at: start, into: &bytes) } catch {
                throw HTTPCallFailure(
                    code: error.errorCode.description, detail: error.detail, phase: .send,
                    delivery: .sentUnknown)
            }
        }
    }
}
