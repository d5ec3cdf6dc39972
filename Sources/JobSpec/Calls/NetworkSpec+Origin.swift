internal import JobKit

extension NetworkSpec {
    /// The URL that the next attempt calls, to ask its origin before; nil when it is not known yet. What is wrong with
    /// it the attempt itself will say.
    func nextURL(_ references: ReferenceReader, in context: AOperationContext) -> String? {
        let connections = references.board.services.connections
        return try? makeURL(references.lookup(in: context), from: connection(in: connections))
    }
}
