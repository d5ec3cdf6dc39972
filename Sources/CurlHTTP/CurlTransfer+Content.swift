import CCurl
import HTTPMessage

/// Content that comes from a source or goes to a sink, piece by piece.
extension CurlTransfer {
    /// Registers the callbacks for content to send, once per handle.
    func setContentCallbacks(_ this: UnsafeMutableRawPointer) {
        unsafe jobserver_easy_set_pointer(easy, CURLOPT_READDATA, this)
        unsafe jobserver_easy_set_data_function(easy, CURLOPT_READFUNCTION) { bytes, size, count, client in
            guard let transfer = unsafe TransferHandle.transfer(at: client) else {
                return Int(CURL_READFUNC_ABORT)
            }
            let room = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
            return unsafe transfer.give(room) ?? Int(CURL_READFUNC_ABORT)
        }
        unsafe jobserver_easy_set_pointer(easy, CURLOPT_SEEKDATA, this)
        unsafe jobserver_easy_set_seek_function(easy) { client, offset, origin in
            guard let transfer = unsafe TransferHandle.transfer(at: client), transfer.source != nil,
                origin == SEEK_SET,
                (0...curl_off_t(transfer.contentCount)).contains(offset)
            else { return CURL_SEEKFUNC_FAIL }
            transfer.sourceOffset = Int(offset)
            return CURL_SEEKFUNC_OK
        }
    }

    /// The location of a redirect that is followed; nil for other responses.
    var followedLocation: String? {
        guard let call, let status = collector.status, RedirectRule.applies(to: status),
            call.request.redirectsMax > 0
        else { return nil }
        return collector.fields().first { $0.name.lowercased() == "location" }?.value
    }

    /// Completes the response, and begins the sink if there was no content.
    ///
    /// - Returns: whether the response is valid: there is one, and the sink accepts it.
    func completeContent() -> Bool {
        guard call?.purpose == .exchange else { return true }
        guard collector.hasWholeHead, completeCoding() else { return false }
        return sink == nil || sinkStage != .waiting || enterSink()
    }

    /// Passes a piece to the sink.
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

    /// Fills `room` with the next content; nil when the source fails.
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
