import CCurl
import HTTPMessage

/// Content that comes from a source or goes to a sink, piece by piece.
extension CurlTransfer {
    /// Registers the callbacks for content to send, once for each handle.
    func setContentCallbacks(_ this: UnsafeMutableRawPointer) {
        unsafe jobserver_easy_set_pointer(easy, CURLOPT_READDATA, this)
        unsafe jobserver_easy_set_data_function(easy, CURLOPT_READFUNCTION) { bytes, size, count, client in
            guard let transfer = unsafe CurlTransfer.from(client) else { return Int(CURL_READFUNC_ABORT) }
            let room = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
            return unsafe transfer.give(room) ?? Int(CURL_READFUNC_ABORT)
        }
        unsafe jobserver_easy_set_pointer(easy, CURLOPT_SEEKDATA, this)
        unsafe jobserver_easy_set_seek_function(easy) { client, offset, origin in
            guard let transfer = unsafe CurlTransfer.from(client), transfer.source != nil, origin == SEEK_SET,
                (0...curl_off_t(transfer.contentCount)).contains(offset)
            else { return CURL_SEEKFUNC_FAIL }
            transfer.sourceOffset = Int(offset)
            return CURL_SEEKFUNC_OK
        }
    }

    /// Where the answer leads when it is a redirect that is followed.
    var followedLocation: String? {
        guard let call, let status = collector.status, RedirectRule.applies(to: status),
            call.request.redirectsMax > 0
        else { return nil }
        return collector.fields().first { $0.name.lowercased() == "location" }?.value
    }

    /// The answer is complete. A sink that has not heard of it, because there was no content, does now.
    ///
    /// - Returns: whether it counts: there is one, and the sink agrees.
    func completeContent() -> Bool {
        guard call?.purpose == .exchange else { return true }
        guard collector.hasWholeHead, completeCoding() else { return false }
        return sink == nil || sinkStage != .waiting || enterSink()
    }

    /// Hands a piece to the sink.
    func pass(_ piece: UnsafeRawBufferPointer) -> Bool {
        if sinkStage == .waiting, !enterSink() { return false }
        guard sinkStage == .taking, let sink else { return true }
        do {
            try sink.take(unsafe piece.assumingMemoryBound(to: UInt8.self).span)
            return true
        } catch {
            contentFailure = error
            return false
        }
    }

    private func enterSink() -> Bool {
        guard let sink, let status = collector.status else { return false }
        guard followedLocation == nil else {
            sinkStage = .dropping
            return true
        }
        sinkStage = .taking
        do {
            try sink.begin(status: status, fields: collector.fields())
            return true
        } catch {
            contentFailure = error
            return false
        }
    }

    /// Fills `room` with what comes next of the content; nil when the source cannot.
    private func give(_ room: UnsafeMutableRawBufferPointer) -> Int? {
        guard let source else { return 0 }
        let left = contentCount - sourceOffset
        guard left > 0, room.count > 0 else { return 0 }
        var bytes = unsafe room.prefix(left).assumingMemoryBound(to: UInt8.self).mutableSpan
        do throws(HTTPCallFailure) {
            let count = try source.read(at: sourceOffset, into: &bytes)
            guard (1...bytes.count).contains(count) else { throw HTTPCallFailure.shortSource }
            sourceOffset += count
            return count
        } catch {
            contentFailure = error
            return nil
        }
    }
}
