internal import JobKit
internal import StrictJSON

/// The bytes that are left for a value that is made of others. Anything beyond is refused before it is made, so
/// that a short spec cannot make more than fits into memory.
struct ValueRoom {
    private let what: String
    private let bytesMax: Int
    private(set) var left: Int

    /// - Parameter what: what is made, at the beginning of a sentence.
    init(_ what: String = "The value that it makes", bytesMax: Int = RunLimits.valueBytesMax) {
        self.what = what
        self.bytesMax = bytesMax
        left = bytesMax
    }

    /// Takes room for bytes.
    /// - Throws: `value.too_large` when there is not enough.
    mutating func take(_ count: Int) throws(AOperationError) {
        guard count <= left else { throw tooLarge }
        left -= count
    }

    /// Takes room for a value as JSON.
    /// - Throws: `value.too_large` when there is not enough.
    mutating func take(_ value: JSONValue) throws(AOperationError) {
        guard let count = value.encodedCount(upTo: left) else { throw tooLarge }
        left -= count
    }

    private var tooLarge: AOperationError {
        let size = bytesMax >= 1 << 20 ? "\(bytesMax >> 20) MiB" : "\(bytesMax >> 10) KiB"
        return AOperationError(
            .valueTooLarge,
            detail:
                "\(what) has more than \(size). Take less of each value with \"at\", or hand content on as a file "
                + "with \"artifact\".")
    }
}
