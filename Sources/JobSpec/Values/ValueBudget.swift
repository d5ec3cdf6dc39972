internal import JobKit
internal import StrictJSON

/// The bytes left for a composed value. Larger values are refused before they are built, so that a short spec cannot
/// exhaust memory.
struct ValueBudget {
    private let what: String
    private let bytesMax: Int
    private let remedy: String
    private(set) var left: Int

    /// - Parameter what: the value, as the beginning of a sentence.
    init(
        _ what: String = "The value that it makes", bytesMax: Int = RunLimits.valueBytesMax,
        remedy: String =
            "Take less of each value with \"at\", or hand content on as a file with \"artifact\"."
    ) {
        self.what = what
        self.remedy = remedy
        self.bytesMax = bytesMax
        left = bytesMax
    }

    /// Reserves bytes.
    /// - Throws: `value.too_large` when there are not enough.
    mutating func take(_ count: Int) throws(AOperationError) {
        guard count <= left else { throw tooLarge }
        left -= count
    }

    /// Reserves the size of a value as JSON.
    /// - Throws: `value.too_large` when there is not enough room; `evaluation.too_long`.
    mutating func take(_ value: JSONValue, _ meter: StepMeter) throws(AOperationError) {
        let count = value.encodedCount(upTo: left)
        try meter.spend(8 + (count ?? left) / 2, on: .making)
        guard let count else { throw tooLarge }
        left -= count
    }

    /// Reserves the size of the content of a result as JSON, and reads it. No content is the empty text, as any other
    /// content that is not JSON is its text: in a list of results null is left for what did not succeed.
    /// - Throws: `value.too_large` when there is not enough room; `evaluation.too_long`.
    mutating func take(_ result: OperationResult, _ meter: StepMeter) throws(AOperationError) -> JSONValue {
        try meter.spend(OperationResult.stepsPerByte * result.body.count, on: .reading)
        let isEmpty = result.artifact == nil && result.body.isEmpty
        let value = isEmpty ? .string("") : result.bodyValue
        try take(value, meter)
        return value
    }

    private var tooLarge: AOperationError {
        let size = bytesMax >= 1 << 20 ? "\(bytesMax >> 20) MiB" : "\(bytesMax >> 10) KiB"
        return AOperationError(
            .valueTooLarge, detail: "\(what) has more than \(size). \(remedy)")
    }
}
