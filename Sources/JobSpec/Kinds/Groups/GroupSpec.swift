package import JobKit
internal import StrictJSON

/// Runs other operations.
package struct GroupSpec: Sendable, Hashable {
    /// The members, in the order of the spec.
    package var operations: [OperationSpec]
    /// The number of members that run at once; nil is no limit.
    package var concurrency: Int?
    /// Whether each member waits for the previous one and needs its success, unless that one has
    /// `on_failure: "continue"`.
    package var ordered = false
    /// Whether the members are stopped as soon as the group cannot succeed any more.
    package var failFast = false
    /// When the group succeeds.
    package var completion = GroupCompletion.all
    /// Run at the end, whatever the outcome of the others, also when the group is stopped.
    package var finals: [OperationSpec] = []
    /// Creates one member for each element of a list; then there are no other members.
    package var each: EachSpec?

    package init(operations: [OperationSpec]) { self.operations = operations }
}

extension GroupSpec: BuiltInKind {
    static let name = "group"
    static let members: [any KindMember] = [
        operationsMember, mapMember, concurrencyMember, orderedMember, completionMember, stopMember,
        finallyMember,
    ]
    private static let operationsMember = SharedMember("operations")
    private static let mapMember = SharedMember("map")
    private static let concurrencyMember = OptionalMember<Int>(
        "concurrency", SpecForm { $0.int($1, in: 1...10_000) })
    private static let orderedMember = DefaultedMember("ordered", .bool, default: false)
    private static let completionMember = SharedMember("succeed_when")
    private static let stopMember = SharedMember("stop_when")
    private static let finallyMember = SharedMember("finally")

    static func read(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> GroupSpec? {
        var group = GroupSpec(operations: [])
        group.concurrency = concurrencyMember.read(object, scope, &reading)
        group.ordered = orderedMember.read(object, scope, &reading)
        readCompletion(object, of: &group, &reading)
        let most = reading.limits.groupDepthMax
        guard scope.depth < most else {
            reading.note(
                member: object["map"] == nil ? "operations" : "map", .tooDeep,
                "Groups are nested more than \(most) deep. Use \"after\" inside one group instead.")
            return nil
        }
        let members = GroupMemberReader(scope.deeper)
        var names = SiblingNames()
        let firstReference = reading.references.count
        switch (object["operations"], object["map"]) {
        case (let value?, nil):
            let isList = reading.inside("operations") { members.readMembers(value, of: &group, &names, &$0) }
            guard isList else { return nil }
        case (nil, let value?):
            let each = reading.inside("map") { EachSpec.read(value, &group, scope.deeper, &$0) }
            guard let each else { return nil }
            group.each = each
            if each.lines != nil { checkParts(object, group, &reading) }
        case (nil, nil):
            reading.missing(
                "operations", "A group lists its members.",
                suggestion: #""operations": [{"type": "delay", "for": "1s"}]"#)
            return nil
        case (_?, _?):
            reading.note(
                member: "map", .conflict,
                "A group has \"operations\" or makes them with \"map\", not both. Leave one out.")
            return nil
        }
        if let value = object["finally"] {
            reading.inside("finally") {
                members.readFinals(value, of: &group, names, firstReference: firstReference, &$0)
            }
        }
        return group
    }

    /// A map over lines runs in parts, so that nothing may look at all members together.
    private static func checkParts(_ object: JSONObject, _ group: GroupSpec, _ reading: inout SpecReading) {
        if group.completion.rule != .all {
            reading.note(
                member: "succeed_when", .conflict,
                "A map over lines runs in parts, each of which has to succeed. For members that may fail say "
                    + "\"on_failure\" in the operation.",
                suggestion: #""on_failure": "continue""#)
        }
        if object["finally"] != nil {
            reading.note(
                member: "finally", .conflict,
                "A map over lines runs in parts, and has no common end. Put it into a group with \"finally\"."
            )
        }
    }

    /// `succeed_when` and `stop_when`.
    private static func readCompletion(
        _ object: JSONObject, of group: inout GroupSpec, _ reading: inout SpecReading
    ) {
        var rule: GroupCompletion.Rule? = .all
        if let value = object["succeed_when"] {
            rule = reading.inside("succeed_when") { CompletionReader.rule(value, object, &$0) }
        }
        guard let rule else { return }
        group.completion = GroupCompletion(rule)
        guard let value = object["stop_when"],
            let stop = reading.inside("stop_when", { CompletionReader.stop(value, rule, &$0) })
        else { return }
        group.failFast = stop.isAboutFailure
        group.completion.cancelsRest = stop.isAboutSuccess
    }

    var inner: [OperationSpec] { operations + finals }
    var copied: OperationSpec? { each?.lines == nil ? each?.operation : part() }

    var writtenCount: Int {
        if let each { return OperationCount.sum(1, each.writtenCount) }
        return inner.reduce(1) { OperationCount.sum($0, $1.writtenCount) }
    }

    var planWords: [String] {
        if let lines = each?.lines {
            return ["for each line of \(lines.operation)\(ordered ? " in order" : "")", "in parts"]
        }
        var words = each == nil ? "of \(operations.count)" : "for each element"
        if ordered { words += " in order" }
        if !finals.isEmpty { words += ", \(finals.count) finally" }
        return [words]
    }

    func warnings(
        about operation: OperationSpec, at moment: SpecWarning.Moment?
    ) -> [(code: String, detail: String)] {
        var found: [(code: String, detail: String)] = []
        if ordered && (concurrency ?? 1) > 1 {
            found.append(
                (
                    "warning.ordered_concurrency",
                    "In an ordered group one operation runs at a time; concurrency changes nothing."
                ))
        }
        if let few = fewMembersWarning { found.append(few) }
        return found
    }

    /// A completion that needs more members than there are.
    private var fewMembersWarning: (code: String, detail: String)? {
        guard case .atLeast(let needed) = completion.rule else { return nil }
        var count = operations.count
        if let each {
            guard case .literal(let items) = each.items, let items = items.array else { return nil }
            count = items.count
        }
        guard count < needed else { return nil }
        return (
            "warning.too_few_members",
            "The group has \(count) member\(count == 1 ? "" : "s") and needs \(needed) that succeed (at_least): it "
                + "always fails."
        )
    }

    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult> {
        guard let each, let source = each.lines else {
            return GroupCompiler(group: self, compiler: compiler, references: references)
                .recipe(named: spec.name)
        }
        var recipe = OperationRecipe<OperationResult>(spec.name) { context in
            try await LinesRun(
                group: self, each: each, source: source, compiler: compiler, references: references
            ).result(in: context)
        }
        recipe.settings.grace = nil
        return recipe
    }

    func begun(in past: JournalFold, _ references: ReferenceReader) -> [PlacedOperation] {
        let path = references.path
        if each?.lines != nil {
            let paths = (1...).lazy.map { path + [String($0)] }
            return paths.prefix { past.histories[$0] != nil }.map {
                PlacedOperation(spec: part(), place: references.place, path: $0)
            }
        }
        let ordinary = Set(operations.map(\.name))
        let all = ordinary.union(finals.map(\.name))
        var begun = inner.map { member in
            let siblings = ordinary.contains(member.name) ? ordinary : all
            return PlacedOperation(
                spec: member,
                place: .member(groupPath: path, siblings: siblings, outer: references.place),
                path: path + [member.name])
        }
        if let each { begun += each.begun(in: past, references) }
        return begun
    }
}
