package import JobKit
package import StrictJSON

extension Binding {
    /// Answers references to other operations, and counts the steps of the evaluation that asks.
    package struct Lookup: Sendable {
        let meter: StepMeter
        private let find: @Sendable (Reference) throws(AOperationError) -> JSONValue

        /// Answers by `find`.
        package init(
            _ meter: StepMeter = StepMeter(),
            _ find: @escaping @Sendable (Reference) throws(AOperationError) -> JSONValue
        ) {
            self.meter = meter
            self.find = find
        }

        /// The referenced value.
        /// - Throws: when there is none.
        package func callAsFunction(_ reference: Reference) throws(AOperationError) -> JSONValue {
            try find(reference)
        }
    }
}
