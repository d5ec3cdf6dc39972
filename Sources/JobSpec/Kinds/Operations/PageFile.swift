internal import JobKit
internal import StrictJSON
internal import Synchronization

// DESIGN
// The file is written ahead of the journal. A page appends its lines and syncs them, and only then notes the length of
// the file with them, which counts once the page has succeeded. So the file has at least what the stored pages noted,
// whenever the server ends, and what it has beyond that is cut off before anything is appended. The content of a page
// is nowhere else: when the file is gone, all pages are fetched again, into another file and under further numbers.

/// The items of all pages as one file, a line of JSON for each.
final class PageFile: Sendable {
    private struct Course {
        var draft: (any ArtifactDraft)?
        /// The length with the pages that succeeded.
        var length = 0
    }

    private let place: any ArtifactPlace
    private let key: ArtifactKey
    private let bytesMax: Int
    private let course = Mutex(Course())

    /// A file that is not open.
    /// - Parameter bytesMax: the most bytes that it may have.
    init(place: any ArtifactPlace, key: ArtifactKey, bytesMax: Int) {
        self.place = place
        self.key = key
        self.bytesMax = bytesMax
    }

    /// Opens the file and cuts off what is behind `length`, which the stored pages have.
    /// - Returns: false when it has less than that; then it is removed.
    func open(at length: Int) async throws(AOperationError) -> Bool {
        let draft: any ArtifactDraft
        do throws(ArtifactFailure) { draft = try await place.partial(key, keeping: length) } catch {
            throw AOperationError(artifact: error)
        }
        guard draft.byteCount == length else {
            draft.discard()
            return false
        }
        course.withLock { $0 = Course(draft: draft, length: length) }
        return true
    }

    /// Appends the lines of a page to those of the pages that succeeded, durably.
    /// - Returns: the length of the file with them.
    /// - Throws: `body.too_large`, `storage.*`.
    func append(_ lines: [UInt8]) async throws(AOperationError) -> Int {
        let (draft, length) = try await draftAtLength()
        guard lines.count <= bytesMax - length else {
            throw AOperationError(
                .bodyTooLarge,
                detail:
                    "With this page the file has \(length + lines.count) bytes; at most \(bytesMax) are taken "
                    + "(save.max_bytes).")
        }
        do throws(ArtifactFailure) {
            try draft.append(lines.span)
            try await draft.sync()
            return length + lines.count
        } catch {
            release()
            throw AOperationError(artifact: error)
        }
    }

    /// The page with the last lines has succeeded.
    func commit(_ length: Int) { course.withLock { $0.length = length } }

    /// Ends the file, which is the result of the operation then.
    func finish(named name: String?) async throws(AOperationError) -> OperationResult {
        let (draft, _) = try await draftAtLength()
        course.withLock { $0.draft = nil }
        return try await draft.finishLines(named: name)
    }

    /// Closes the file and keeps it for another run.
    func release() { course.withLock { $0.draft = nil } }

    /// The open file, without what a failed attempt left in it.
    private func draftAtLength() async throws(AOperationError) -> (any ArtifactDraft, length: Int) {
        let (open, length) = course.withLock { ($0.draft, $0.length) }
        if let open, open.byteCount == length { return (open, length) }
        release()
        guard try await self.open(at: length), let draft = course.withLock({ $0.draft }) else {
            throw AOperationError(
                .storageMissing,
                detail:
                    "The file with the items of the pages before was removed to free space. Retry the job: it fetches "
                    + "all pages again.")
        }
        return (draft, length)
    }
}

extension PageFile: Hashable {
    static func == (left: PageFile, right: PageFile) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ArtifactDraft {
    /// Finishes a file of lines of JSON.
    func finishLines(named name: String?) async throws(AOperationError) -> OperationResult {
        var result = OperationResult(
            status: nil, headers: [], contentType: "application/x-ndjson", body: [])
        do throws(ArtifactFailure) { result.artifact = try await finishFile() } catch {
            throw AOperationError(artifact: error)
        }
        result.artifact?.name = name
        return result
    }
}

/// The numbers of the pages after which the file was begun anew, since it was gone.
struct PageStarts {
    private(set) var numbers: [Int] = []

    /// - Parameter note: the note of the operation.
    init(note: JSONValue?) { numbers = note?.array?.compactMap { $0.number?.int } ?? [] }

    /// The note.
    var note: JSONValue { .array(numbers.map { .number(JSONNumber(Int64($0))) }) }

    /// The number of the last page that is not in the file; 0 when all are.
    var last: Int { numbers.last ?? 0 }

    mutating func begin(after number: Int) { numbers.append(number) }
}
