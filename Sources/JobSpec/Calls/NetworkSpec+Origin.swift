internal import JobKit

extension NetworkSpec {
    /// The URL of the next attempt's call, for the check of its origin; nil when it is not known yet. Errors in it are
    /// reported by the attempt itself.
    func nextURL(_ references: ReferenceReader, in context: AOperationContext) -> String? {
        let connections = references.board.services.connections
        return try? makeURL(references.lookup(in: context), from: connection(in: connections))
    }
}
