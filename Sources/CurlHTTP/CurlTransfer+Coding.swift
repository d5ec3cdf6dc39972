import CCurl
import HTTPMessage

/// Content that arrives in codings such as gzip.
extension CurlTransfer {
    /// Takes a piece of encoded content, and decodes it, in slices until their content fills the room.
    /// - Parameter start: the bytes of it that were taken before.
    /// - Returns: the bytes of it that are taken; nil when it is refused.
    func takeCoded(_ piece: UnsafeRawBufferPointer, from start: Int, room: Int) -> Int? {
        do throws(CodingFault) {
            if !knowsDecoder {
                knowsDecoder = true
                try ContentDecoder.refuseTransferCoding(in: collector.fields())
                if !codings.isEmpty { decoder = try ContentDecoder(codings, engine.limits) }
            }
            guard let decoder else { return unsafe takeContent(piece) ? piece.count : nil }
            let before = collector.contentCount
            var end = start
            while end < piece.count, collector.contentCount - before < room {
                let slice = unsafe UnsafeRawBufferPointer(rebasing: piece[end...].prefix(decoder.sliceBytes))
                try unsafe decoder.take(slice) { (unpacked) throws(CodingFault) in
                    guard unsafe takeContent(unpacked) else { throw .refused }
                }
                end += slice.count
            }
            return end
        } catch {
            if error != .refused { codingFault = error }
            return nil
        }
    }

    /// Whether the content ended together with its codings.
    func completeCoding() -> Bool {
        do throws(CodingFault) {
            if let decoder {
                try decoder.finish()
            } else if !knowsDecoder, mayHaveContent {
                try ContentDecoder.refuseTransferCoding(in: collector.fields())
                if let coding = codings.last, endsByClosing { throw .truncated(coding) }
            }
            return true
        } catch {
            codingFault = error
            return false
        }
    }

    /// The codings to undo, in the order in which they were applied.
    private var codings: [String] {
        // The content of a redirect that is followed is dropped without decoding.
        guard followedLocation == nil else { return [] }
        return undoesContentCodings ? ContentDecoder.codings("content-encoding", in: collector.fields()) : []
    }

    /// A range of coded content (206) cannot be decoded: it is a range of the encoded bytes (RFC 9110 §14.2).
    private var undoesContentCodings: Bool { engine.route.route.compression && collector.status != 206 }

    /// The codings that the content still has, as in its field; nil when it has none.
    var keptCoding: String? {
        let kept = ContentDecoder.codings("content-encoding", in: collector.fields())
        return undoesContentCodings || kept.isEmpty ? nil : kept.joined(separator: ", ")
    }

    /// Whether the request and the status permit content.
    private var mayHaveContent: Bool {
        guard let call, let status = collector.status else { return false }
        return call.request.method != "HEAD" && ![204, 205, 304].contains(status)
    }

    /// Whether the end of the content is marked by the end of the connection only.
    private var endsByClosing: Bool {
        guard number(CURLINFO_HTTP_VERSION) < CURL_HTTP_VERSION_2_0 else { return false }
        let framing = ["content-length", "transfer-encoding"]
        return !collector.fields().contains { framing.contains($0.name.lowercased()) }
    }
}
