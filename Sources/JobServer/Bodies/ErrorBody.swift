import JobKit
import JobStore
import StrictJSON

/// The part of its result and errors that a document of a job or an operation has.
enum BodyExtent: Sendable {
    case whole
    /// The first error only.
    case first
    /// All of it, but errors that take more than 4 KiB as in a summary: in a list with `view=full`.
    case listed
    /// The first error in short, with the number of all, and the result without its content: in a list.
    case summary
}

enum ErrorBody {
    /// The most that the errors of an operation or a job take in a list, in bytes of JSON.
    private static let listedBytesMax = 4 << 10

    /// The error as a list shows it.
    static func listed(_ error: AOperationError) -> AOperationError {
        error.byteCount <= listedBytesMax ? error : error.short
    }

    /// One error as a document.
    static func bytes(_ error: AOperationError) -> [UInt8] {
        var json = JSONWriter(capacity: 512)
        error.writeShown(to: &json)
        return json.bytes
    }

    /// Appends `error`, and `errors` when there are several; their number instead where they are left out.
    /// - Parameter job: the address of the job.
    static func append(
        _ errors: [AOperationError], _ extent: BodyExtent, of job: String, wholeAt address: String,
        to json: inout JSONWriter
    ) {
        guard let error = errors.first else { return }
        switch extent {
        case .first:
            append("error", error, wholeAt: address, to: &json)
        case .listed where errors.reduce(0, { $0 + $1.byteCount }) > listedBytesMax:
            append("error", listed(error), wholeAt: address, to: &json)
            if errors.count > 1 { json.member("error_count", errors.count) }
        case .summary:
            append("error", error.short, wholeAt: address, to: &json)
            if errors.count > 1 { json.member("error_count", errors.count) }
        case .listed, .whole:
            // Those that servers stored before they bounded them may be longer.
            let shown = errors.fitting()
            for first in shown.prefix(1) { append("error", first, wholeAt: origin(first, job), to: &json) }
            guard shown.count > 1 else { return }
            json.name("errors")
            json.beginArray()
            for error in shown { error.writeShown(wholeAt: origin(error, job), to: &json) }
            json.endArray()
        }
    }

    /// Appends one error as a member.
    static func append(
        _ name: String, _ error: AOperationError, wholeAt address: String?, to json: inout JSONWriter
    ) {
        json.name(name)
        error.writeShown(wholeAt: address, to: &json)
    }

    /// The address of the whole of a shortened error: the operation in which it arose, or else the attempts.
    private static func origin(_ error: AOperationError, _ job: String) -> String? {
        guard error.bytesOmitted > 0 else { return nil }
        let names = error.path.dropFirst()
        return names.isEmpty
            ? "\(job)/attempts" : "\(job)/operations/\(OperationAddress.segment(of: names))"
    }
}
