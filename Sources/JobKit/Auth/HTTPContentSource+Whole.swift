internal import HTTPMessage

extension HTTPContentSource {
    /// All of the content, for digests that need it at once.
    /// - Throws: `auth.signature` when it cannot be read.
    func allBytes() throws(AOperationError) -> [UInt8] {
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
