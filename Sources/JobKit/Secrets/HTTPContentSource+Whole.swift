internal import HTTPMessage

/// The maximum size of streamed content that can be signed.
private let signedBytesMax = 64 << 20

extension HTTPContentSource {
    /// Reads the whole content, for digests that need it at once; at most 64 MiB.
    /// - Throws: `auth.signature` when it cannot be read or is too large.
    package func allBytes() throws(AOperationError) -> [UInt8] {
        guard byteCount <= signedBytesMax else {
            throw AOperationError(
                .authSignature,
                detail: "Content of more than \(signedBytesMax) bytes is not signed; this has \(byteCount). "
                    + "S3 takes it unsigned over https.")
        }
        var content: [UInt8] = []
        content.reserveCapacity(byteCount)
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while content.count < byteCount {
            let count: Int
            do throws(HTTPCallFailure) {
                var span = piece.mutableSpan
                count = try read(at: content.count, into: &span)
            } catch {
                throw AOperationError(.authSignature, detail: "The content cannot be read: \(error.detail)")
            }
            guard count > 0 else { break }
            content += piece.prefix(count)
        }
        return content
    }
}
