import EventIO
import HTTPMessage
import JobKit
import JobStore
import OpenSSLCrypto

/// The content of an upload on its way into a file. Released before the end it leaves nothing behind.
final class UploadSink: HTTPBodySink {
    /// The media type of a body that contains a file instead of being one.
    private static let wrapper = "multipart/form-data"
    private static let typeBytesMax = 255

    let id: UploadID
    let contentType: String?
    let backpressure: (any Backpressure)?
    private let draft: any ArtifactDraft
    private let place: any ArtifactPlace
    private let turn: UploadPlaces.Place
    /// Counts it for a tenant that has a limit.
    let entry: ContentTally.Entry?
    private let digest: [UInt8]?
    private let refuse: @Sendable (Problem) -> HTTPResponse

    private init(
        _ id: UploadID, of head: HTTPRequestHead, in place: any ArtifactPlace, _ turn: UploadPlaces.Place,
        _ entry: ContentTally.Entry?, refuse: @escaping @Sendable (Problem) -> HTTPResponse
    ) throws(Problem) {
        self.id = id
        self.place = place
        self.turn = turn
        self.entry = entry
        self.refuse = refuse
        contentType = try Self.type(of: head)
        digest = try ContentDigestField.read(head.fields)
        backpressure = place.backpressure
        do throws(ArtifactFailure) {
            if let length = head.contentLength { try place.checkRoom(for: length) }
            draft = try place.fileDraft(for: id.description)
        } catch {
            throw Problem(error)
        }
    }

    deinit { place.release(owner: id.description) }

    /// Begins an upload, before any of its content is asked for.
    /// - Parameter refuse: makes the answer to content that cannot be stored.
    static func begin(
        _ door: LoopDoor, _ head: HTTPRequestHead, _ caller: Caller, _ peer: PeerAddress,
        refuse: @escaping @Sendable (Problem) -> HTTPResponse
    ) throws(Problem) -> UploadSink {
        if head.target.queryBytes != nil {
            var query = QueryReader(head.target.query)
            try query.finish()
        }
        try Negotiation.checkEncoding(head)
        guard let place = door.server.store.artifacts else {
            throw Problem(.storageUnavailable, "This server keeps no files, so it takes no uploads.")
        }
        var entry: ContentTally.Entry?
        if let tenant = caller.tenant {
            do throws(JobStoreError) {
                entry = try door.server.limits.arrivals.begin(head.contentLength, of: tenant)
            } catch {
                throw Problem(error)
            }
        }
        var words = DrawnWords(door.randomWords.pair())
        let id = UploadID(bits: JobID(at: SystemTime.now(), using: &words))
        let share = caller.tenant?.name ?? String(describing: door.client(head, peer, caller))
        let turn = try door.server.limits.uploads.take(for: share)
        return try UploadSink(id, of: head, in: place, turn, entry, refuse: refuse)
    }

    private static func type(of head: HTTPRequestHead) throws(Problem) -> String? {
        guard let value = try Negotiation.contentType(head) else { return nil }
        guard value.count <= typeBytesMax, let text = String(validating: value, as: UTF8.self),
            let type = MediaType(text)
        else {
            throw Problem(
                header: "Content-Type",
                "Content-Type is no media type such as text/csv. Correct it, or leave it out."
            )
        }
        guard !type.essence.utf8.elementsEqual(wrapper.utf8) else {
            throw Problem(
                .unsupportedMediaType,
                "Content-Type is \(type.essence): a form around a file. Send the file itself: with curl, -T FILE -X "
                    + "POST instead of -F.")
        }
        return text
    }

    func take(_ bytes: Span<UInt8>) -> HTTPResponse? {
        if let refusal = entry?.take(bytes.count) { return refuse(Problem(refusal)) }
        do throws(ArtifactFailure) { try draft.append(bytes) } catch { return refuse(Problem(error)) }
        return nil
    }

    /// Ends the content, which is durable then, and kept until the sink is released.
    /// - Throws: `.uploadDigest` when it is not what was announced, `.storage…`.
    func finish() async throws(Problem) -> ArtifactReference {
        let artifact: ArtifactReference
        do throws(ArtifactFailure) { artifact = try await draft.finishFile() } catch { throw Problem(error) }
        if let digest, HexText.encode(digest) != artifact.sha256 {
            throw Problem(
                .uploadDigest,
                "The content that arrived has \(artifact.bytes) bytes and the SHA-256 \(artifact.sha256), which is not "
                    + "the one that was announced, \(HexText.encode(digest)). Nothing was stored. Send it again."
            )
        }
        return artifact
    }
}

extension Problem {
    /// Content could not be stored or read.
    init(_ failure: ArtifactFailure) {
        switch failure.code {
        case .full:
            self.init(.storageFull, failure.detail)
            fields = [("Retry-After", "10")]
        case .missing: self.init(.artifactGone, failure.detail)
        case .unavailable, .tooLarge: self.init(.storageUnavailable, failure.detail)
        }
    }
}
