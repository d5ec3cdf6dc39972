internal import JobKit

extension NetworkSpec {
    /// The URL of the next attempt's call, for the check of its origin; nil when it is not known yet, or takes too long
    /// to be made on the loop. Errors in it are reported by the attempt itself.
    func nextURL(_ references: ReferenceReader, in context: OperationContext) -> String? {
        let connections = references.board.services.connections
        let lookup = references.attempt(in: context).lookup(StepMeter(StepMeter.sliceMax))
        return try? makeURL(lookup, from: connection(in: connections))
    }
}
