internal import JobKit
internal import StrictJSON

/// The position of an operation in the spec.
enum OperationSeat: Equatable {
    /// The job itself, which may have the job's members.
    case root
    /// The position among its siblings, from 1.
    case member(Int)
    /// Alone inside of another operation.
    case inner

    /// The name of an operation that does not say its own.
    func defaultName(_ type: String) -> String {
        if case .member(let position) = self { "\(type)_\(position)" } else { type }
    }
}

extension JSONObject {
    /// The type of the operation that it is; one that names a template need not say it.
    var operationType: String? {
        if let type = self["type"] { return type.string }
        return self["template"] == nil ? nil : "template"
    }
}

/// The positions that give operations without names free ones, while there are only more and more names.
struct FreePositions {
    /// The last position that was found for each type: those before it are taken.
    private var found: [ByteKey: Int] = [:]

    /// The first position from `first` on that makes a free name, if one has to be made. `first` only grows.
    mutating func next(from first: Int, _ object: JSONObject, isFree: (String) -> Bool) -> Int {
        guard object["name"] == nil, let type = object.operationType else { return first }
        let key = ByteKey(type)
        var position = max(first, found[key] ?? first)
        while !isFree(OperationSeat.member(position).defaultName(type)) { position += 1 }
        if position > first { found[key] = position }
        return position
    }
}

/// The common part of an operation while it is read.
struct OperationDraft {
    /// The name of the kind.
    var type = ""
    var name = ""
    /// The members of the job; nil below the root.
    var job: JobSpec?
    var after: [OperationSpec.AfterEdge] = []
    var conditions: [ConditionSpec] = []
    var when: JSONPredicate?
    var retry: RetrySpec?
    var timeouts = TimeoutMembers()
    var timeout: Duration?
    var sources: [String: SettingSource] = [:]
    var runAt: SpecTime?
    var startBy: SpecTime?
    var finishBy: SpecTime?
    var onFailure = OperationSpec.OnFailure.fail
    var expect: Expectation?

    private static func sources(_ timeouts: TimeoutMembers) -> [String: SettingSource] {
        Dictionary(uniqueKeysWithValues: timeouts.names.map { ("timeouts." + $0, .spec) })
    }

    func operation(_ kind: OperationSpec.Kind) -> OperationSpec {
        var operation = OperationSpec(kind: kind, name: name)
        operation.after = after
        operation.conditions = conditions
        operation.when = when
        operation.retry = retry
        operation.timeout = timeout
        operation.sources =
            sources.isEmpty && !timeouts.isEmpty ? OperationDraft.sources(timeouts) : sources
        operation.runAt = runAt
        operation.startBy = startBy
        operation.finishBy = finishBy
        operation.onFailure = onFailure
        operation.expect = expect
        return operation
    }
}
