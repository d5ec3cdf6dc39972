/// Runs other operations and finishes when all of them have finished. By default it fails when a member failed, with
/// the members' errors in order of arrival, each with its origin; the cancellation of a member is not an error of the
/// group.
///
/// ```swift
/// GroupOperation("nightly", concurrency: 2) { group in
///     let list = group.add(FetchList())
///     group.add(Charge().receiving(list))
/// }
/// ```
///
/// Members that need nothing of each other can be listed: `GroupOperation("caches", FillUsers(), FillOrders())`.
/// Members can be added later, too: by members, by observers, or through the `members` of the group's handle. Members
/// added before the group is executed wait for it.
public struct GroupOperation: AOperation {
    /// The display name.
    public let name: String
    /// Concurrency, order, completion and error mapping.
    public let rules: GroupRules
    private let build: @Sendable (GroupScope) -> Void

    /// - Parameters:
    ///   - name: the display name.
    ///   - concurrency: the number of members executed at once; nil is no limit, 0 runs none until
    ///     `GroupScope.concurrency` is raised.
    ///   - order: whether members run one after the other.
    ///   - failsFast: whether the other members are stopped as soon as the group cannot succeed any more; with the
    ///     default completion that is the first failure.
    ///   - completion: when the group succeeds.
    ///   - childErrors: maps the errors of members.
    ///   - build: adds the members, when the group is executed.
    public init(
        _ name: String = "Group", concurrency: Int? = nil, order: GroupRules.Order = .none,
        failsFast: Bool = false, completion: GroupCompletion = .all, childErrors: GroupErrorPolicy = [],
        build: @escaping @Sendable (GroupScope) -> Void = { _ in }
    ) {
        self.name = name
        rules = GroupRules(
            concurrency: concurrency, order: order, failsFast: failsFast, completion: completion,
            childErrors: childErrors)
        self.build = build
    }

    /// A group of these members.
    public init<First: OperationConvertible, each Other: OperationConvertible>(
        _ first: First, _ others: repeat each Other
    ) {
        self.init("Group", first, repeat each others)
    }

    /// A group of these members.
    public init<First: OperationConvertible, each Other: OperationConvertible>(
        _ name: String, _ first: First, _ others: repeat each Other
    ) {
        self.init(name) { group in
            group.add(first)
            for other in repeat each others { group.add(other) }
        }
    }

    /// A group of these members, which run one after the other; those behind a failure are skipped.
    public static func ordered<First: OperationConvertible, each Other: OperationConvertible>(
        _ name: String, _ first: First, _ others: repeat each Other
    ) -> GroupOperation {
        let list = GroupOperation(name, first, repeat each others)
        return GroupOperation.ordered(name, build: list.build)
    }

    /// A group whose members run one after the other; late ones come last.
    /// - Parameters:
    ///   - name: the display name.
    ///   - stopsAtFailure: whether the members behind a failure are skipped.
    ///   - build: adds the members, when the group is executed.
    public static func ordered(
        _ name: String = "OrderedGroup", stopsAtFailure: Bool = true,
        build: @escaping @Sendable (GroupScope) -> Void = { _ in }
    ) -> GroupOperation {
        GroupOperation(name, order: stopsAtFailure ? .stopsAtFailure : .carriesOn, build: build)
    }

    /// The group without conditions, observers or limits. It has no grace period: it waits for its members, and each of
    /// them has one.
    public var recipe: OperationRecipe<Void> {
        var recipe = OperationRecipe<Void>(name) { context in try await self.execute(in: context) }
        recipe.settings.grace = nil
        recipe.settings.groupRules = rules
        return recipe
    }

    /// Runs the members.
    /// - Throws: the errors of members, as the rules of the group say.
    public func execute(in context: OperationContext) async throws {
        let scope = context.core.openScope(rules)
        build(scope)
        let errors = await withTaskCancellationHandler {
            await scope.allFinished()
        } onCancel: {
            scope.cancelMembers()
        }
        if context.core.isStopRequested { throw CancellationError() }
        if !errors.isEmpty { throw OperationErrors(list: errors) }
    }
}

extension OperationHandle {
    /// The members of the operation when it is a group; nil when it is none, or is over.
    public var members: GroupScope? { core.scope }
}
