import DurableJobs
import HTTPMessage
import JobSpec
import JobStore
import StrictJSON

/// The settings of one kind as a resource: a change is stored with the record of it, and leaves a line in the log.
protocol SettingResource: SendableMetatype {
    static var kind: SettingKind { get }
    /// The lines in the log about a change and a removal.
    static var events: SettingEvents { get }
}

/// The names of two lines in the log.
typealias SettingEvents = (stored: StaticString, removed: StaticString)

/// The outcome of a change, to be answered.
typealias SettingOutcome = Result<SettingRecord, JobStoreError>

extension SettingResource {
    /// The name in the path.
    static func name(_ context: RequestContext) throws(Problem) -> String {
        try context.name(of: .setting(kind))
    }

    /// Stores a setting, and answers with `then`.
    /// - Parameter event: the line in the log; nil is that of any change.
    static func store(
        _ draft: SettingDraft, _ context: RequestContext, event: StaticString? = nil,
        then: @escaping @Sendable (SettingOutcome) throws(Problem) -> Void
    ) {
        context.auditedStore(of: draft.name).perform(draft) { result in
            if case .success = result { log(event ?? events.stored, draft.name, context) }
            context.goOn { () throws(Problem) in try then(result) }
        }
    }

    /// Stores the body of a request, if it is valid and the condition of the request holds.
    /// - Parameters:
    ///   - version: the version that there is, 0 for none.
    ///   - validatesOnly: whether the body is only checked, which is answered with it as the member `word`.
    ///   - read: reads the body.
    static func store<Read>(
        _ name: String, _ context: RequestContext, now version: Int64, validatesOnly: Bool, as word: String,
        read: (JSONValue) -> Result<Read, SpecProblems>,
        then: @escaping @Sendable (SettingOutcome) throws(Problem) -> Void
    ) throws(Problem) {
        let expected = try VersionCondition(context.request.head.fields)
        let value = try context.request.json()
        if case .failure(let problems) = read(value) { throw SpecBody.problem(problems) }
        let version = try expected.version(of: name, now: version)
        if validatesOnly { return context.answer(.ok, json: VersionCondition.valid(word, value)) }
        store(draft(value, name, ifVersion: version, context), context, then: then)
    }

    /// A setting whose body is canonical JSON.
    /// - Parameter version: the version that it replaces, 0 for none; nil replaces any.
    static func draft(
        _ value: JSONValue, _ name: String, ifVersion version: Int64? = nil, _ context: RequestContext
    ) -> SettingDraft {
        let body = CanonicalJSON.encode(value)
        var draft = SettingDraft(
            kind: kind, name: name, updatedAt: context.startedAt, updatedBy: context.caller.by,
            bytes: body.count
        ) { _ in body }
        draft.ifVersion = version
        return draft
    }

    /// Removes the setting in the path.
    static func delete(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        remove(try name(context), context)
    }

    /// Removes a setting, and then does what follows from that.
    static func remove(
        _ name: String, _ context: RequestContext, then: @escaping @Sendable () -> Void = {}
    ) {
        context.auditedStore(of: name).perform(SettingRemoval(kind, name)) { result in
            if case .success = result { log(events.removed, name, context) }
            context.goOn { () throws(Problem) in
                try stored(result.get())
                then()
                context.answer(HTTPResponse(status: .noContent))
            }
        }
    }

    private static func log(_ event: StaticString, _ name: String, _ context: RequestContext) {
        context.server.log.write(.info, event) { line in
            line.member(StoredNoun.setting(kind).word, name)
            line.member("by", by: context.caller.by)
        }
    }
}

/// Settings that are shown as they are stored.
protocol ListedSettings: SettingResource {
    associatedtype Value: Sendable
    typealias Entry = SettingScope<Value>.Entry

    /// The path of the list.
    static var path: String { get }
    /// Those that the caller may use.
    static func settings(_ context: RequestContext) -> SettingScope<Value>
    /// Writes one as a JSON object.
    static func write(_ entry: Entry, _ context: RequestContext, to json: inout JSONWriter)
}

extension ListedSettings {
    /// All settings that the caller may use.
    static func list(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let paging = try PageRequest(of: path, &query)
        try paging.answer(
            context, named: settings(context).all, itemBytes: 256, name: { $0.record.name }
        ) {
            write($0, context, to: &$1)
        }
    }

    /// The setting in the path.
    static func read(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try name(context)
        guard let entry = settings(context)[name] else { throw Problem(.noSetting(kind, name)) }
        answer(.ok, entry, context)
    }

    /// Stores a setting and answers with it: 201 for a new one, else 200.
    static func put(_ draft: SettingDraft, of value: Value, _ context: RequestContext) {
        store(draft, context) { result throws(Problem) in
            let record = try stored(result.get())
            answer(record.version == 1 ? .created : .ok, Entry(record: record, value: value), context)
        }
    }

    private static func answer(_ status: HTTPStatus, _ entry: Entry, _ context: RequestContext) {
        var json = JSONWriter(capacity: 512)
        write(entry, context, to: &json)
        context.answer(status, json: json.line())
    }
}
