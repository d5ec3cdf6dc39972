internal import JobKit
internal import StrictJSON

extension RequiredMember where Value == OperationSpec {
    /// The single operation inside another one.
    static func operation(at seat: OperationSeat = .inner, remedy: String) -> Self {
        RequiredMember(
            "operation", SpecForm { InnerOperation.read($1, at: seat, $2, &$0) }, remedy: remedy,
            suggestion: #""operation": {"type": "network", "request": "https://example.com/"}"#)
    }
}

/// Reads the one operation inside of another one.
enum InnerOperation {
    static func read(
        _ value: JSONValue, at seat: OperationSeat, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> OperationSpec? {
        guard case .object(let inner) = value else {
            reading.wrongType(value, "an operation, which is an object")
            return nil
        }
        let most = reading.limits.groupDepthMax
        guard scope.depth < most else {
            reading.note(.tooDeep, "Operations are nested more than \(most) deep.")
            return nil
        }
        if inner["after"] != nil {
            reading.note(
                member: "after", .notAvailable,
                "\"after\" names siblings, and this operation has none. Say it in the one around.")
        }
        return OperationReader(scope.deeper).read(inner, at: seat, &reading)
    }

    /// Checks that the written lists and counts stay within the limit of operations. Inner operations are checked
    /// separately.
    static func checkCount(_ count: Int, of operation: OperationSpec, _ reading: inout SpecReading) {
        let most = RunLimits.standard.operationsMax
        guard count > most, operation.writtenCount <= most else { return }
        reading.note(
            .tooLarge,
            "This alone makes \(count) operations, with all that is inside; a job may have \(most). "
                + "Shorten the lists, or spread the work over several jobs.")
    }
}
