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
    /// The members that GET gives beside those of anything with a name.
    static var state: [String] { get }
    /// The name of the setting in the path.
    static func name(_ context: RequestContext) throws(Problem) -> String
    /// The setting that the caller may use.
    static func known(_ name: String, _ context: RequestContext) -> SettingRecord?
}

/// The names of two lines in the log.
typealias SettingEvents = (stored: StaticString, removed: StaticString)

/// The outcome of a change, to be answered.
typealias SettingOutcome = Result<SettingReceipt, JobStoreError>

extension SettingResource {
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
            if case .success(let receipt) = result, receipt.isChanged {
                log(event ?? events.stored, draft.name, context)
            }
            context.goOn { () throws(Problem) in try then(result) }
        }
    }

    /// Stores what a PUT makes of its spec, unless it only validates it.
    /// - Parameters:
    ///   - read: the meaning of the spec of this name.
    ///   - said: writes further members of the answer to a PUT that only validates.
    ///   - then: stores the draft, which has the spec as its body.
    static func put<Meaning>(
        _ context: RequestContext, _ read: (JSONValue, String) throws(Problem) -> Meaning,
        said: (Meaning, inout JSONWriter) -> Void = { _, _ in },
        then: (SettingDraft, Meaning) throws(Problem) -> Void
    ) throws(Problem) {
        var query = context.query
        let validatesOnly = query.flag("validate_only")
        try query.finish()
        let name = try name(context)
        let body = try body(context, name)
        let meaning = try body.read { spec throws(Problem) in try read(spec, name) }
        var draft = draft(body.spec, name, context)
        try expect(body, &draft, context)
        guard validatesOnly else { return try then(draft, meaning) }
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.member("valid", true)
        json.name("spec")
        json.raw(CanonicalJSON.encode(body.spec))
        said(meaning, &json)
        json.endObject()
        context.answer(.ok, json: json.line())
    }

    /// The body of a PUT.
    static func body(_ context: RequestContext, _ name: String) throws(Problem) -> NamedBody {
        try NamedBody(context, name, state: state)
    }

    /// Makes a draft replace the version that the request expects.
    static func expect(
        _ body: NamedBody, _ draft: inout SettingDraft, _ context: RequestContext
    ) throws(Problem) {
        draft.ifVersion = try body.expected(of: draft.name, now: known(draft.name, context)?.version ?? 0)
    }

    /// A setting whose body is canonical JSON.
    static func draft(_ spec: JSONValue, _ name: String, _ context: RequestContext) -> SettingDraft {
        let bytes = CanonicalJSON.encode(spec)
        var draft = SettingDraft(
            kind: kind, name: name, updatedAt: context.startedAt, updatedBy: context.caller.by,
            bytes: bytes.count
        ) { _ in bytes }
        draft.isSame = { $0.body == bytes }
        return draft
    }

    /// Removes the setting in the path.
    static func delete(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        try remove(try name(context), context)
    }

    /// Removes a setting, and then does what follows from that.
    static func remove(
        _ name: String, _ context: RequestContext, then: @escaping @Sendable () -> Void = {}
    ) throws(Problem) {
        let condition = try VersionCondition(context.request.head.fields)
        var removal = SettingRemoval(kind, name)
        if let version = known(name, context)?.version {
            removal.ifVersion = try condition.version(of: name, now: version)
        }
        context.auditedStore(of: name).perform(removal) { result in
            if case .success = result { log(events.removed, name, context) }
            context.goOn { () throws(Problem) in
                try stored(result.get())
                then()
                context.answer(HTTPResponse(status: .noContent))
            }
        }
    }

    /// The fields of an answer that shows a setting.
    static func fields(_ record: SettingRecord?) -> HTTPFields {
        var fields = HTTPFields()
        if let record { fields.add("ETag", VersionCondition.tag(record.version)) }
        return fields
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
    static var state: [String] { [] }

    static func known(_ name: String, _ context: RequestContext) -> SettingRecord? {
        settings(context)[name]?.record
    }

    static func write(_ entry: Entry, _: RequestContext, to json: inout JSONWriter) {
        NamedHead(entry.record).write(to: &json)
    }

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
        try answer(try name(context), context)
    }

    /// Answers with a setting.
    static func answer(_ name: String, _ context: RequestContext) throws(Problem) {
        guard let entry = settings(context)[name] else { throw Problem(.noSetting(kind, name)) }
        answer(.ok, entry, context)
    }

    /// Answers a PUT with what it stores; see `SettingResource.put`.
    static func put(
        _ context: RequestContext, _ read: (JSONValue, String) throws(Problem) -> Value,
        said: (Value, inout JSONWriter) -> Void = { _, _ in }, done: @escaping @Sendable () -> Void = {}
    ) throws(Problem) {
        try put(context, read, said: said) { draft, value in put(draft, of: value, context, done: done) }
    }

    /// Stores a setting and answers with it: 201 for a new one, else 200.
    /// - Parameter done: does what follows from that.
    static func put(
        _ draft: SettingDraft, of value: Value, _ context: RequestContext,
        done: @escaping @Sendable () -> Void = {}
    ) {
        store(draft, context) { result throws(Problem) in
            let receipt = try stored(result.get())
            done()
            let entry = Entry(record: receipt.setting, value: value)
            answer(receipt.isNew ? .created : .ok, entry, context)
        }
    }

    private static func answer(_ status: HTTPStatus, _ entry: Entry, _ context: RequestContext) {
        var json = JSONWriter(capacity: 512)
        write(entry, context, to: &json)
        context.answer(status, fields(entry.record), json: json.line())
    }
}
