public import HTTPMessage
public import StrictJSON

/// Reads connections.
public enum ConnectionReader {
    /// Reads the connection that `value` is.
    ///
    /// - Parameters:
    ///   - egress: who may be called; ranges of the connection count, too. Nil for a connection that was accepted once.
    ///   - openable: the ranges that connections may open. A range that does not lie in one of them is a problem, or,
    ///     for a connection that was accepted once (`egress` nil), left out.
    /// - Returns: the connection, or everything that is wrong with it.
    public static func read(
        _ value: JSONValue, egress: EgressPolicy?, openable: [CIDR]
    ) -> Result<ConnectionSpec, SpecProblems> {
        var reading = SpecReading(limits: .standard, now: Timestamp(milliseconds: 0), egress: egress)
        let spec = reading.connection(value, openable: openable)
        reading.noteUnknownReferences()
        if let spec, reading.problems.isEmpty { return .success(spec) }
        return .failure(SpecProblems(reading.problems, isCut: reading.isCut))
    }
}
