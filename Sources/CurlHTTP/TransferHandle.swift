import CCurl

/// Finds the transfers that libcurl names.
enum TransferHandle {
    /// The transfer behind the client pointer of a callback.
    static func transfer(at client: UnsafeMutableRawPointer?) -> CurlTransfer? {
        guard let client = unsafe client else { return nil }
        return unsafe Unmanaged<CurlTransfer>.fromOpaque(client).takeUnretainedValue()
    }

    /// The transfer of a handle.
    static func transfer(of easy: UnsafeMutableRawPointer?) -> CurlTransfer? {
        guard let easy = unsafe easy else { return nil }
        var client: UnsafeMutablePointer<CChar>?
        unsafe jobserver_easy_get_string(easy, CURLINFO_PRIVATE, &client)
        return unsafe transfer(at: UnsafeMutableRawPointer(client))
    }
}
