internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// The work of an operation in a spec: its inner operations and call, its words in the plan, and its compilation.
protocol OperationWork: Sendable, Hashable {
    /// The word in the spec's `type`.
    var type: String { get }

    /// The inner operations with distinct names. Default none.
    var inner: [OperationSpec] { get }

    /// The inner operations that run at the end. Default none.
    var finals: [OperationSpec] { get }

    /// The inner operation of which there are as many copies as the run creates, named `1`, `2`, …. Default none.
    var copied: OperationSpec? { get }

    /// The call that it makes. Default none.
    var outgoingCall: NetworkSpec? { get }

    /// Whether it makes a call. Default whether there is an `outgoingCall`.
    var makesCall: Bool { get }

    /// Whether it is of a kind that is not built in. Default false.
    var isCustom: Bool { get }

    /// The JSON that it is. Default none.
    var statedValue: Binding? { get }

    /// The least number of operations it makes, itself included, as far as lists and numbers are written in the spec.
    /// `Int.max` for more than can be counted. Default itself and all inside.
    var writtenCount: Int { get }

    /// Whether it keeps the operation's timeout itself. Default false.
    var keepsTimeout: Bool { get }

    /// Whether the content of its answer always goes into a file. Default false.
    var keepsContentInFile: Bool { get }

    /// Whether it changes nothing outside of the job and depends on no other operation, so that nothing is lost with
    /// it. Default false.
    var onlyReads: Bool { get }

    /// Whether `operation`, which has this work, cannot have any warning, so that the search is skipped. Default false.
    func isPlain(in operation: OperationSpec) -> Bool

    /// Warnings about it. Default none; those about its call are found elsewhere.
    func warnings(
        about operation: OperationSpec, at moment: SpecWarning.Moment?
    ) -> [(code: String, detail: String)]

    /// The words of the plan after the type. Default none.
    var planWords: [String] { get }

    /// Compiles to an operation.
    /// - Parameters:
    ///   - spec: the operation that has this work.
    ///   - compiler: compiles the inner operations.
    ///   - references: resolves references from the operation's position.
    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult>

    /// The subject of an approval. Default its type and path.
    func approvalSubject(
        in context: ConditionContext, _ references: ReferenceReader
    ) async throws(AOperationError) -> ApprovalSubject

    /// The inner operations that have begun according to the journal. Default none.
    /// - Parameter references: resolves references from the operation's position.
    func begun(in past: JournalFold, _ references: ReferenceReader) -> [PlacedOperation]
}

/// An operation at its position in a running job.
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
    var makesCall: Bool { outgoingCall != nil }
    var isCustom: Bool { false }
    var statedValue: Binding? { nil }
    var writtenCount: Int { inner.reduce(1) { OperationCount.sum($0, $1.writtenCount) } }
    var keepsTimeout: Bool { false }
    var keepsContentInFile: Bool { false }
    var onlyReads: Bool { false }
    var planWords: [String] { [] }

    func isPlain(in operation: OperationSpec) -> Bool { false }

    func warnings(
        about operation: OperationSpec, at moment: SpecWarning.Moment?
    ) -> [(code: String, detail: String)] { [] }

    func approvalSubject(
        in context: ConditionContext, _ references: ReferenceReader
    ) async throws(AOperationError) -> ApprovalSubject {
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
