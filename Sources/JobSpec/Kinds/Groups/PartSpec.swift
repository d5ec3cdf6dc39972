internal import JobKit
internal import StrictJSON

/// A part of a map over lines: a map of some of them, whose result is a file. It is no kind of its own.
struct PartSpec: OperationWork {
    /// The map of the lines.
    let group: GroupSpec
    /// The position behind the lines.
    let end: LinePosition

    var type: String { GroupSpec.name }
    var copied: OperationSpec? { group.copied }
    var planWords: [String] { ["some lines"] + group.planWords }

    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult> {
        GroupCompiler(group: group, end: end, compiler: compiler, references: references)
            .recipe(named: spec.name)
    }

    func begun(in past: JournalFold, _ references: ReferenceReader) -> [PlacedOperation] {
        group.begun(in: past, references)
    }
}

extension GroupSpec {
    /// The operation that a part of a map over lines is.
    func part(_ items: [JSONValue] = [], end: LinePosition = LinePosition()) -> OperationSpec {
        var group = self
        group.each?.lines = nil
        group.each?.items = .literal(.array(items))
        return OperationSpec(PartSpec(group: group, end: end), name: "part")
    }
}
