import JobKit
import JobStore
import StrictJSON

/// Errors as JSON.
enum ErrorBody {
    /// The extent of the errors of a job or an operation in a document.
    enum Form: Sendable {
        /// All of them, `error` and `errors`.
        case whole
        /// Only the first.
        case first
        /// All of them when they are short; otherwise the first in short, with the number of all: in a list.
        case listed
    }

    /// The most that the errors of an operation or a job take in a list, in bytes of JSON.
    private static let listedBytesMax = 4 << 10

    /// The error as a list shows it.
    static func listed(_ error: AOperationError) -> AOperationError {
        error.byteCount <= listedBytesMax ? error : error.short
    }

    /// One error as a document.
    static func bytes(_ error: AOperationError) -> [UInt8] {
        var json = JSONWriter(capacity: 512)
        error.write(to: &json)
        return json.bytes
    }

    /// Appends `error`, and with it `errors`, or `error_count` of several in short.
    /// - Parameter job: the address of the job.
    static func append(
        _ errors: [AOperationError], _ form: Form, of job: String, wholeAt address: String,
        to json: inout JSONWriter
    ) {
        guard let error = errors.first else { return }
        switch form {
        case .first:
            append("error", error, wholeAt: address, to: &json)
        case .listed where errors.reduce(0, { $0 + $1.byteCount }) > listedBytesMax:
            append("error", listed(error), wholeAt: address, to: &json)
            if errors.count > 1 { json.member("error_count", errors.count) }
        case .listed, .whole:
            // Those that servers stored before they bounded them may be longer.
            let shown = AOperationError.fitting(errors)
            for first in shown.prefix(1) { append("error", first, wholeAt: origin(first, job), to: &json) }
            json.name("errors")
            json.beginArray()
            for error in shown { error.write(wholeAt: origin(error, job), to: &json) }
            json.endArray()
        }
    }

    /// Appends one error as a member.
    static func append(
        _ name: String, _ error: AOperationError, wholeAt address: String?, to json: inout JSONWriter
    ) {
        json.name(name)
        error.write(wholeAt: address, to: &json)
    }

    /// The address of the whole of a shortened error: the operation in which it arose, or else the attempts.
    private static func origin(_ error: AOperationError, _ job: String) -> String? {
        guard error.bytesOmitted > 0 else { return nil }
        let names = error.path.dropFirst()
        return names.isEmpty
            ? "\(job)/attempts" : "\(job)/operations/\(OperationAddress.segment(of: names))"
    }
}
