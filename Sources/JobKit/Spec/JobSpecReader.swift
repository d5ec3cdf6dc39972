public import HTTPMessage
public import StrictJSON

/// Reads job specs.
public enum JobSpecReader {
    /// Reads the spec that `bytes` are.
    ///
    /// - Parameters:
    ///   - limits: what it may ask for.
    ///   - now: the moment of submission; dates more than `limits.waitMax` after it are refused, past ones are not.
    ///   - egress: when given, URLs with an address that it forbids are problems. Names are not looked up.
    /// - Returns: the spec, or everything that is wrong with it. A text that is no JSON is one problem with line and
    ///   column.
    public static func read(
        _ bytes: [UInt8], limits: SpecLimits = .standard, now: Timestamp, egress: EgressPolicy? = nil
    ) -> Result<JobSpec, SpecProblems> {
        let value: JSONValue
        do {
            value = try JSONParser.parse(
                bytes, limits: JSONLimits(bytesMax: limits.bytesMax, depthMax: limits.jsonDepthMax))
        } catch {
            return .failure(
                SpecProblems([
                    SpecProblem(pointer: error.pointer, code: error.code.rawValue, detail: error.description)
                ]))
        }
        return read(value, limits: limits, now: now, egress: egress)
    }

    /// Reads the spec that `value` is; otherwise like the reader of bytes.
    public static func read(
        _ value: JSONValue, limits: SpecLimits = .standard, now: Timestamp, egress: EgressPolicy? = nil
    ) -> Result<JobSpec, SpecProblems> {
        var reading = SpecReading(limits: limits, now: now, egress: egress)
        let spec = reading.job(value)
        if let spec, reading.problems.isEmpty { return .success(spec) }
        return .failure(SpecProblems(reading.problems, isCut: reading.isCut))
    }
}
