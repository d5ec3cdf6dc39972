extension OperationResult {
    /// The field in which the result of an answer that says "not modified" names the job with the last content.
    package static let unchangedField = "unchanged-since"

    /// Whether the upstream answered that the content did not change since the last good answer; there is no content
    /// then.
    public var isUnchanged: Bool {
        status == 304 && headers.contains { $0.name == Self.unchangedField }
    }
}
