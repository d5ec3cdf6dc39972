internal import HTTPMessage
internal import JobKit
internal import StrictJSON
internal import Synchronization

// DESIGN
// A page notes the length of the file with its lines, their digest and the position of the next page, all in one note
// so that they agree, and only then appends and syncs the lines; it has succeeded when that is done. So the file has at
// least what the pages that succeeded noted, whenever the server ends. What it has beyond that is a page that had not
// come to its end: with the noted digest it is whole, and the page ends without being fetched again; otherwise it is
// cut off before anything is appended. The content of a page is nowhere else: when the file is gone, all pages are
// fetched again, into another file and under further numbers.

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

    /// Opens the file with a page that had not come to its end behind those up to `length`, if it has the whole of it.
    func open(at length: Int, with page: PageFacts, _ digests: any MessageDigests) async -> Bool {
        let end = page.length
        guard length <= end, end - length <= RunLimits.valueBytesMax, end <= bytesMax,
            let lines = await place.partialBytes(length..<end, of: key), digests.sha256(lines) == page.digest
        else { return false }
        guard (try? await open(at: end)) ?? false else { return false }
        return (try? await course.withLock { $0.draft }?.sync()) != nil
    }

    /// The length of the file with the lines of another page.
    /// - Throws: `body.too_large`.
    func length(with bytes: Int) throws(AOperationError) -> Int {
        let length = course.withLock { $0.length }
        guard bytes <= bytesMax - length else {
            throw AOperationError(
                .bodyTooLarge,
                detail:
                    "With this page the file has \(length + bytes) bytes; at most \(bytesMax) are taken "
                    + "(save.max_bytes).")
        }
        return length + bytes
    }

    /// Appends the lines of a page to those of the pages that succeeded, durably.
    /// - Throws: `storage.*`.
    func append(_ lines: [UInt8]) async throws(AOperationError) {
        let (draft, _) = try await draftAtLength()
        await place.waitForDisk()
        do throws(ArtifactFailure) {
            try draft.append(lines.span)
            try await draft.sync()
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
        return try await draft.finishLines(named: name, isKept: true)
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
    /// - Parameter isKept: see `finishFile`.
    func finishLines(named name: String?, isKept: Bool = false) async throws(AOperationError)
        -> OperationResult
    {
        var result = OperationResult(
            status: nil, headers: [], contentType: "application/x-ndjson", body: [])
        do throws(ArtifactFailure) { result.artifact = try await finishFile(isKept: isKept) } catch {
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

    var note: JSONValue { .array(numbers.map { .number(JSONNumber(Int64($0))) }) }

    /// The number of the last page that is not in the file; 0 when all are.
    var last: Int { numbers.last ?? 0 }

    mutating func begin(after number: Int) { numbers.append(number) }
}

/// The facts about a page whose items are in a file.
struct PageFacts: Sendable, Hashable {
    /// The number of its items.
    let items: Int
    /// The status of its answer.
    let status: Int?
    /// The digest of its lines; nil without digests.
    let digest: [UInt8]?
    /// The length of the file with them.
    let length: Int
    /// The position of the next page; null when it is the last one.
    let next: JSONValue

    init(items: Int, status: Int?, digest: [UInt8]?, length: Int, next: JSONValue) {
        (self.items, self.status, self.digest) = (items, status, digest)
        (self.length, self.next) = (length, next)
    }

    /// Decodes a note; nil when it is none.
    init?(note: JSONValue?) {
        guard let object = note?.object, let items = object["items"]?.number?.int,
            let length = object["length"]?.number?.int, let next = object["next"]
        else { return nil }
        self.init(
            items: items, status: object["status"]?.number?.int,
            digest: object["sha256"]?.string.flatMap { HexText.decode($0) }, length: length, next: next)
    }

    /// The note of the page.
    var note: JSONValue {
        var members: [(String, JSONValue)] = [
            ("items", .number(JSONNumber(Int64(items)))), ("length", .number(JSONNumber(Int64(length)))),
            ("next", next),
        ]
        if let status { members.append(("status", .number(JSONNumber(Int64(status))))) }
        if let digest { members.append(("sha256", .string(HexText.encode(digest)))) }
        return .object(JSONObject(members))
    }

    /// The result of the page.
    func result(bytes: Int) -> OperationResult {
        var result = OperationResult(
            json: .object(
                JSONObject([
                    ("items", .number(JSONNumber(Int64(items)))),
                    ("bytes", .number(JSONNumber(Int64(bytes)))),
                ])))
        result.status = status
        return result
    }
}

extension Dictionary where Key == String, Value == JSONValue {
    /// The position of the page after the one with these notes; null when that was the last one.
    var nextPage: JSONValue? { self[NoteName.next] ?? PageFacts(note: self[NoteName.lines])?.next }
}
