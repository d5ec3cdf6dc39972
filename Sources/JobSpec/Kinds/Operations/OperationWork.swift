internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// The work of an operation as a spec says it: the operations and the call in it, its words in the plan, and what it
/// becomes when it runs.
protocol OperationWork: Sendable, Hashable {
    /// The word in the spec's `type`.
    var type: String { get }

    /// The operations inside that have names of their own. Default none.
    var inner: [OperationSpec] { get }

    /// Those of the operations inside that run at the very end. Default none.
    var finals: [OperationSpec] { get }

    /// The operation inside of which there are as many as the run brings about, called `1`, `2`, …. Default none.
    var copied: OperationSpec? { get }

    /// The call that it makes. Default none.
    var outgoingCall: NetworkSpec? { get }

    /// The JSON that it sends or is. Default the JSON content of its call.
    var statedValue: Binding? { get }

    /// The least number of operations it makes, itself included, as far as lists and numbers are written in the spec.
    /// `Int.max` for more than can be counted. Default itself and all inside.
    var writtenCount: Int { get }

    /// Whether it keeps the operation's timeout itself. Default false.
    var keepsTimeout: Bool { get }

    /// Whether the content of its answer always goes into a file. Default false.
    var keepsContentInFile: Bool { get }

    /// Whether there can be no warning about `operation`, which does this, so that none is looked for. Default
    /// false.
    func isPlain(in operation: OperationSpec) -> Bool

    /// Warnings about it. Default none; those about its call are found elsewhere.
    func warnings(
        about operation: OperationSpec, at moment: SpecWarning.Moment?
    ) -> [(code: String, detail: String)]

    /// The words of the plan behind the type. Default none.
    var planWords: [String] { get }

    /// The operation that this becomes.
    /// - Parameters:
    ///   - spec: the operation that does this.
    ///   - compiler: makes the operations inside.
    ///   - references: looks from the operation's place.
    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> AOperationRecipe<OperationResult>

    /// The subject of an approval. Default its type and path.
    func approvalSubject(
        in context: AConditionContext, _ references: ReferenceReader
    ) throws(AOperationError) -> ApprovalSubject

    /// The operations inside that have begun, as far as the journal knows. Default none.
    /// - Parameter references: looks from the operation's place.
    func begun(in past: JournalFold, _ references: ReferenceReader) -> [PlacedOperation]
}

/// An operation at its place in a running job.
struct PlacedOperation {
    let spec: OperationSpec
    let place: SpecPlace
    let path: [String]
}

extension OperationWork {
    var inner: [OperationSpec] { [] }
    var finals: [OperationSpec] { [] }
    var copied: OperationSpec? { nil }
    var outgoingCall: NetworkSpec? { nil }
    var statedValue: Binding? {
        if case .json(let content)? = outgoingCall?.body { content } else { nil }
    }
    var writtenCount: Int { inner.reduce(1) { OperationCount.sum($0, $1.writtenCount) } }
    var keepsTimeout: Bool { false }
    var keepsContentInFile: Bool { false }
    var planWords: [String] { [] }

    func isPlain(in operation: OperationSpec) -> Bool { false }

    func warnings(
        about operation: OperationSpec, at moment: SpecWarning.Moment?
    ) -> [(code: String, detail: String)] { [] }

    func approvalSubject(
        in context: AConditionContext, _ references: ReferenceReader
    ) throws(AOperationError) -> ApprovalSubject {
        ApprovalSubject(type: type, path: references.path, members: nil)
    }

    func begun(in past: JournalFold, _ references: ReferenceReader) -> [PlacedOperation] { [] }

    func isEqual(to other: any OperationWork) -> Bool { (other as? Self) == self }
}

/// Counts that stop at `Int.max`.
enum OperationCount {
    static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    static func product(_ one: Int, _ other: Int) -> Int {
        let (product, overflow) = one.multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
