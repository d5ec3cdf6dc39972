import ContentFiles
import CurlHTTP
import EventIO
import HTTPMessage
import JobKit
import JobSpec
import OpenSSLCrypto

/// Content as objects in a bucket of S3, with keys like those of files: `prefix/ab/cdef…`.
///
/// Objects above 32 MiB are uploaded in parts. A request whose failure may pass is repeated: writing for about half a
/// minute, reading, for which a client may wait, for about a second.
final class S3Backend: ContentBackend {
    private static let partBytes = 16 << 20
    private static let partsMax = 10_000
    private static let singleBytesMax = 32 << 20
    private static let pauses: [Duration] = [
        .milliseconds(200), .seconds(1), .seconds(3), .seconds(8), .seconds(20),
    ]

    private let place: S3Address
    private let loop: EventLoop
    private let client: CurlClient

    /// - Throws: when the system has no thread or descriptor for it.
    init(_ place: S3Address) throws(EventIOError) {
        self.place = place
        loop = try EventLoop(name: "artifacts", standsBack: true)
        client = CurlClient(loop: loop, allows: { _, _ in true })
        loop.start()
    }

    deinit { loop.stop() }

    var address: String { place.description }

    var pieceBytes: Int { 8 << 20 }

    func put(_ artifact: ArtifactReference, from path: String) async throws(ArtifactFailure) {
        let reader = try ArtifactDirectory.reader(of: path, bytes: artifact.bytes)
        let key = Self.key(artifact.sha256)
        if artifact.bytes <= Self.singleBytesMax {
            _ = try await send("PUT", key, source: FilePart(reader, 0..<artifact.bytes))
        } else {
            try await putParts(reader, key)
        }
    }

    private func putParts(_ reader: any ArtifactReader, _ key: String) async throws(ArtifactFailure) {
        let started = try await send("POST", key, query: "uploads=")
        guard let upload = S3XML.text(of: "UploadId", in: started.body) else {
            throw ArtifactFailure(
                .unavailable, "\(address) began no upload in parts. Is \(place.endpoint) an S3 service?")
        }
        let id = PercentCoding.encode(upload)
        let count = reader.byteCount
        let size = max(Self.partBytes, (count + Self.partsMax - 1) / Self.partsMax)
        do throws(ArtifactFailure) {
            var tags: [String] = []
            for start in stride(from: 0, to: count, by: size) {
                let answer = try await send(
                    "PUT", key, query: "partNumber=\(tags.count + 1)&uploadId=\(id)",
                    source: FilePart(reader, start..<min(start + size, count)))
                guard let tag = answer.field("etag") else {
                    throw ArtifactFailure(.unavailable, "\(address) answered to a part without its ETag.")
                }
                tags.append(tag)
            }
            try await complete(key, id, tags, byteCount: count)
        } catch {
            _ = try? await send("DELETE", key, query: "uploadId=\(id)", tries: 1)
            throw error
        }
    }

    private func complete(
        _ key: String, _ id: String, _ tags: [String], byteCount: Int
    ) async throws(ArtifactFailure) {
        do throws(ArtifactFailure) {
            _ = try await send("POST", key, query: "uploadId=\(id)", body: S3XML.completion(tags))
        } catch  where error.code == .missing {
            // The answer to the first request may be lost, after which some services do not know the upload any more.
            let last = byteCount - 1..<byteCount
            guard let answer = try? await send("GET", key, range: last, tries: 3), answer.body.count == 1
            else {
                throw ArtifactFailure(.unavailable, "\(error.detail) The upload in parts is gone.")
            }
        }
    }

    func bytes(
        _ range: Range<Int>, of artifact: ArtifactReference
    ) async throws(ArtifactFailure) -> [UInt8] {
        if range.isEmpty { return [] }
        let answer = try await send("GET", Self.key(artifact.sha256), range: range, tries: 3)
        guard answer.status == 206 || range.count == artifact.bytes else {
            throw ArtifactFailure(
                .unavailable, "\(address) answered \(answer.status) when asked for a range of an object.")
        }
        return answer.body
    }

    func remove(_ sha256: String) async throws(ArtifactFailure) {
        do throws(ArtifactFailure) { _ = try await send("DELETE", Self.key(sha256), tries: 2) } catch {
            guard error.code == .missing else { throw error }
        }
    }

    func check() async throws(ArtifactFailure) {
        let key = ".jobserver-check-\(UInt64.random(in: 0 ... .max))"
        let content = Array("jobserver".utf8)
        _ = try await send("PUT", key, body: content, tries: 2)
        let read = try await send("GET", key, tries: 2)
        _ = try await send("DELETE", key, tries: 2)
        guard read.body == content else {
            throw ArtifactFailure(
                .unavailable, "\(address) returned other content than was stored. Is it an S3 service?")
        }
    }

    private static func key(_ sha256: String) -> String { "\(sha256.prefix(2))/\(sha256.dropFirst(2))" }

    /// Sends a signed request, again while its failure may pass. Returns a 2xx answer.
    private func send(
        _ method: String, _ key: String, query: String = "", body: [UInt8]? = nil,
        source: FilePart? = nil, range: Range<Int>? = nil, tries: Int = pauses.count + 1
    ) async throws(ArtifactFailure) -> HTTPCallAnswer {
        var call = HTTPCall(method: method, url: place.url(key, query: query), body: body)
        call.source = source
        call.attemptTimeout = .seconds(600)
        call.answerBytesMax = pieceBytes + (1 << 20)
        call.route.compression = false
        if let range {
            call.fields.append(("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
        }
        for pause in Self.pauses.prefix(tries - 1) {
            let (outcome, isPassing) = await attempt(call)
            if !isPassing { return try outcome.get() }
            do { try await Task.sleep(for: pause) } catch { return try outcome.get() }
        }
        return try await attempt(call).0.get()
    }

    private func attempt(
        _ call: HTTPCall
    ) async -> (outcome: Result<HTTPCallAnswer, ArtifactFailure>, isPassing: Bool) {
        var call = call
        do throws(AOperationError) {
            try AWSSignature(credentials: place.credentials, digests: OpenSSLDigests()).sign(
                &call, at: SystemTime.now())
        } catch {
            return (.failure(ArtifactFailure(.unavailable, error.detail)), false)
        }
        do throws(HTTPCallFailure) {
            let answer = try await client.send(call)
            // That of a completed upload is sent before the outcome is known.
            let hasFailed = call.method == "POST" && S3XML.text(of: "Code", in: answer.body) != nil
            if (200..<300).contains(answer.status), !hasFailed { return (.success(answer), false) }
            let error = S3Error(status: answer.status, body: answer.body)
            return (.failure(error.failure(of: place)), error.isPassing)
        } catch {
            let failure = ArtifactFailure(
                .unavailable, "\(address) at \(place.endpoint) cannot be reached: \(error.detail)")
            return (.failure(failure), !error.code.hasPrefix("cancelled"))
        }
    }
}
