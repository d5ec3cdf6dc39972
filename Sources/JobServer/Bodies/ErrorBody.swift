import JobKit
import StrictJSON

/// Errors as JSON.
enum ErrorBody {
    /// One error as a document.
    static func bytes(_ error: AOperationError) -> [UInt8] {
        var json = JSONWriter(capacity: 512)
        error.write(to: &json)
        return json.bytes
    }
}
