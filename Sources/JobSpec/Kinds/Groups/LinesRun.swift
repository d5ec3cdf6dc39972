internal import JobKit
internal import StrictJSON

// DESIGN
// A map over lines is a list of parts that run one after the other, as pages do. A part is a map of some lines with its
// own place in the journal, so that its restart and its retry are those of any map. When it has succeeded, its result
// is a file with a line for each member, and the run forgets what is inside: memory holds one part. So does the journal
// of a long map, which a restart reads, so that it costs the same at the millionth line as at the first.

/// Runs a map over the lines of a file, a part after the other.
struct LinesRun: Sendable {
    let group: GroupSpec
    let each: EachSpec
    let source: LineSource
    let compiler: SpecCompiler
    /// Resolves references from the position of the group.
    let references: ReferenceReader

    /// The results of all members in one file, a line for each.
    func result(in context: OperationContext) async throws -> OperationResult {
        guard let place = context.artifacts else {
            throw AOperationError(.storage, detail: "There is no place here where content could be kept.")
        }
        guard let content = references.result(of: source.operation) else {
            throw AOperationError(
                .referenceFailed, detail: "\(source.operation) has no result to take lines from.")
        }
        let input = try LineInput(content, of: source.operation, in: place)
        let journal = context.core.environment.journal
        if journal?.history(of: path(1)) == nil { try await input.check(atMost: each.itemsMax, context) }
        let most = context.core.environment.limits.partLines
        var files: [ArtifactReference] = []
        var position = LinePosition()
        var forgotten = ForgottenParts(of: references.path)
        while position.offset < input.byteCount {
            let number = files.count + 1
            let hasEnded = journal?.history(of: path(number))?.ending?.state == .succeeded
            let part = hasEnded ? LinePart() : try await input.part(from: position, atMost: most)
            let (file, next) = try await run(part, number, in: context)
            files.append(file)
            position = next
            try checkSize(files)
            guard let journal, number > context.core.environment.limits.partsShown, !hasEnded else {
                continue
            }
            forgotten.count = number
            forgotten = try await journal.remove(forgotten)
        }
        return try await joined(files, in: place, context)
    }

    private func path(_ number: Int) -> [String] { references.path + [String(number)] }

    /// Runs a part.
    /// - Returns: its file, and the position behind its lines.
    private func run(
        _ part: LinePart, _ number: Int, in context: OperationContext
    ) async throws -> (ArtifactReference, LinePosition) {
        let source = source
        let items = try await references.attempt(in: context).evaluate { lookup throws(AOperationError) in
            try source.items(in: part, lookup.meter)
        }
        let budget = compiler.budget.part()
        defer { budget.leave() }
        var compiler = compiler
        compiler.budget = budget
        let (ending, notes) = try await InnerRun(compiler: compiler, context: context).ending(
            of: group.part(items, end: part.end), at: references.place, path: path(number),
            noted: [NoteName.rest])
        compiler.board.forget(inside: path(number))
        let result = try ending.passedOn()
        guard let file = result.artifact, let next = LinePosition(note: notes[NoteName.rest]) else {
            throw AOperationError(.unexpected, detail: "Part \(number) has left no file.")
        }
        return (file, next)
    }

    private func checkSize(_ files: [ArtifactReference]) throws(AOperationError) {
        let (bytes, most) = (files.reduce(0) { $0 + $1.bytes }, each.target.bytesMax)
        guard bytes > most else { return }
        throw AOperationError(
            .bodyTooLarge,
            detail:
                "With part \(files.count) the results have \(bytes) bytes; at most \(most) are taken (save.max_bytes)."
        )
    }

    /// The files of all parts as one.
    private func joined(
        _ files: [ArtifactReference], in place: any ArtifactPlace, _ context: OperationContext
    ) async throws -> OperationResult {
        let name = each.target.name(at: references.path, references.name)
        return try await PartFile(path: references.path, in: place, context).written(named: name) { draft in
            for file in files { try await draft.append(contentsOf: file) }
        }
    }
}
