import DurableJobs
import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// `/v1/hooks/{name}/deliveries`: what came to a hook, and what became of it.
enum Deliveries {
    /// The most deliveries that one request sends again.
    static let replaysMax = 100

    /// `GET /v1/hooks/{name}/deliveries`, the newest first.
    static func list(_ context: RequestContext) throws(Problem) {
        let name = try Hooks.name(context)
        var query = context.query
        let word = query.text("outcome")
        if let word, DeliveryRecord.Outcome(word: word) == nil {
            let known = DeliveryRecord.Outcome.allCases.map(\.word)
            query.add(
                "outcome", code: "query.value",
                detail: "outcome must be one of \(known.joined(separator: ", "))",
                suggestion: FamiliarQuery.value(word, in: known))
        }
        let paging = try PageRequest(
            of: "/v1/hooks/\(name)/deliveries", filters: word.map { [("outcome", $0)] } ?? [], &query)
        guard Hooks.known(name, context) != nil else { throw Problem(.noSetting(.hook, name)) }
        let base = context.base
        try paging.answerNewest(
            context, itemBytes: 512, id: \DeliveryRecord.id,
            read: { reader, id, limit throws(JobStoreError) in
                try reader.deliveries(
                    to: name, outcome: word.flatMap { .init(word: $0) }, before: id, limit: limit)
            }, write: { DeliveryBody.append($0, base: base, to: &$1) })
    }

    /// `GET /v1/hooks/{name}/deliveries/{id}`: with what came.
    static func read(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let delivery = try delivery(context, try Hooks.name(context))
        context.answer(.ok, json: DeliveryBody.bytes(delivery, base: context.base))
    }

    /// `POST /v1/hooks/{name}/deliveries/{id}:replay`: has it act again, by the hook as it is now. Its sender is not
    /// verified again: one that was refused needs `{"refused": true}`.
    static func replay(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        var command = try CommandBody(context.request)
        let takesRefused = command.value("refused") == .bool(true)
        try command.finish()
        let name = try Hooks.name(context)
        let delivery = try delivery(context, name)
        try run(delivery, name, context, isOnce: false, takesRefused: takesRefused) { result in
            context.attempt { () throws(Problem) in
                context.answer(
                    .accepted, json: DeliveryBody.bytes(try result.get().delivery, base: context.base))
            }
        }
    }

    /// `POST /v1/hooks/{name}/deliveries:replay`: the same for up to 100, by their ids or by their outcome. By outcome
    /// it leaves out replays, and what a replay acted for: so a second run does nothing that the first one did.
    static func replayMany(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        var command = try CommandBody(context.request)
        let list = command.value("ids")?.array
        let takesRefused = command.value("refused") == .bool(true)
        let filter = filter(&command)
        let ids = (list ?? []).compactMap { $0.string.flatMap { DeliveryID($0) } }
        if filter == nil || list != nil {
            if ids.isEmpty || ids.count != list?.count || ids.count > replaysMax {
                command.refuse(
                    "ids", "ids is a list of 1 to \(replaysMax) ids of deliveries, dlv_ and 26 characters")
            }
            if filter != nil { command.refuse("outcome", "outcome stands in place of ids") }
        }
        try command.finish()
        let name = try Hooks.name(context)
        guard Hooks.known(name, context) != nil else { throw Problem(.noSetting(.hook, name)) }
        guard let filter else {
            return next(ids[...], Replayed(), name, context, takesRefused: takesRefused)
        }
        context.goOn { () throws(Problem) in
            let found = try stored(
                context.reader.deliveries(
                    to: name, outcome: filter.outcome, before: filter.before, limit: replaysMax + 1))
            var replayed = Replayed(isOnce: true)
            if found.count > replaysMax { replayed.next = found[replaysMax - 1].id }
            let ids = found.prefix(replaysMax).filter { $0.first == nil }.map(\.id)
            next(ids[...], replayed, name, context, takesRefused: takesRefused)
        }
    }

    /// `outcome` and `before` of a command; nil without them.
    private static func filter(
        _ command: inout CommandBody
    ) -> (outcome: DeliveryRecord.Outcome, before: DeliveryID?)? {
        let (word, place) = (command.value("outcome"), command.value("before"))
        let before = place?.string.flatMap { DeliveryID($0) }
        if place != nil, word == nil || before == nil {
            command.refuse("before", "before is the id of a delivery, and goes with outcome")
        }
        guard let word else { return nil }
        let outcome = word.string.flatMap { DeliveryRecord.Outcome(word: $0) } ?? .duplicate
        if outcome == .duplicate {
            // They have no content of their own.
            let known = DeliveryRecord.Outcome.allCases.filter { $0 != .duplicate }.map(\.word)
            command.refuse(
                "outcome", "outcome must be one of \(known.joined(separator: ", "))",
                suggestion: word.string.flatMap { FamiliarQuery.value($0, in: known) })
        }
        return (outcome, before)
    }

    /// The results of those that were sent again.
    private struct Replayed: Sendable {
        var items: [[UInt8]] = []
        /// Whether those that acted by an earlier replay are left out.
        var isOnce = false
        /// The last of these when there may be older ones.
        var next: DeliveryID?
    }

    /// Sends the first of these again, and then the others.
    private static func next(
        _ ids: ArraySlice<DeliveryID>, _ done: Replayed, _ name: String, _ context: RequestContext,
        takesRefused: Bool
    ) {
        guard let id = ids.first else {
            var json = JSONWriter(capacity: 512)
            json.beginObject()
            json.name("items")
            json.beginArray()
            for item in done.items { json.raw(item) }
            json.endArray()
            json.member("next_before", ifKnown: done.next?.description)
            json.endObject()
            return context.answer(.ok, json: json.line())
        }
        let goOn: @Sendable (Result<DeliveryRecord?, Problem>) -> Void = { result in
            var done = done
            switch result {
            case .success(nil): break
            case .success(let record?): done.items.append(item(id, .success(record), context))
            case .failure(let problem): done.items.append(item(id, .failure(problem), context))
            }
            next(ids.dropFirst(), done, name, context, takesRefused: takesRefused)
        }
        context.goOn { () throws(Problem) in
            do throws(Problem) {
                let delivery = try delivery(id, name, context)
                try run(
                    delivery, name, context, isOnce: done.isOnce, takesRefused: takesRefused
                ) { result in
                    goOn(result.map { $0.isStored ? $0.delivery : nil })
                }
            } catch { goOn(.failure(error)) }
        }
    }

    /// The answer about one of several.
    private static func item(
        _ id: DeliveryID, _ result: Result<DeliveryRecord, Problem>, _ context: RequestContext
    ) -> [UInt8] {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.member("id", id.description)
        switch result {
        case .success(let record):
            json.name("delivery")
            var shown = record
            (shown.head, shown.body) = ([], [])
            DeliveryBody.append(shown, base: context.base, to: &json)
        case .failure(let problem):
            json.name("error")
            json.raw(problem.json(requestID: context.requestID))
        }
        json.endObject()
        return json.bytes
    }

    /// - Parameter isOnce: does nothing when an earlier replay acted.
    private static func run(
        _ delivery: DeliveryRecord, _ name: String, _ context: RequestContext, isOnce: Bool,
        takesRefused: Bool, then: @escaping @Sendable (Result<DeliveryWrite.Reply, Problem>) -> Void
    ) throws(Problem) {
        guard let spec = Hooks.settings(context)[name]?.value else { throw Problem(.noSetting(.hook, name)) }
        guard let head = try? JSONParser.parse(delivery.head) else {
            throw Problem(
                .deliveryGone,
                "The content of \(delivery.id) is not kept: it was refused or repeated another one.")
        }
        guard takesRefused || delivery.outcome != .refused else {
            throw Problem(
                .hookRefused,
                "\(delivery.id) was refused: \(delivery.detail ?? "its sender is not known") If it is genuine, send "
                    + "{\"refused\": true}.")
        }
        try SubmitJob.checkIntake(context)
        let now = SystemTime.now()
        var record = DeliveryRecord(id: HookCall.newID(context, at: now), hook: name, .started)
        // A replay of a replay belongs to the delivery that came, which its key is made of.
        let origin = delivery.first ?? delivery.id
        (record.sender, record.key, record.first) = (context.sender, delivery.key, origin)
        record.byteCount = delivery.body.count
        let call = HookCall(
            context: context, name: name, tenant: context.tenant, spec: spec,
            content: HookDelivery(head: head, body: delivery.body), body: delivery.body,
            replay: .init(key: HookCall.replayKey(origin), isOnce: isOnce), record: record)
        try call.run(context.reader, context.auditedStore) { result in then(result) }
    }

    private static func delivery(_ context: RequestContext, _ name: String) throws(Problem) -> DeliveryRecord
    {
        let text = String(
            decoding: (context.route.pattern.second(in: context.path) ?? []).prefix(80), as: UTF8.self)
        guard let id = DeliveryID(text) else {
            throw Problem(
                .deliveryNotFound,
                "\"\(text)\" is not the id of a delivery. Ids are \"dlv_\" and 26 letters and digits.")
        }
        return try delivery(id, name, context)
    }

    private static func delivery(
        _ id: DeliveryID, _ name: String, _ context: RequestContext
    ) throws(Problem) -> DeliveryRecord {
        guard let found = try stored(context.reader.delivery(id)), found.hook.hasSameBytes(as: name) else {
            throw Problem(.deliveryNotFound, "The hook \(name) has no delivery \(id).")
        }
        return found
    }
}
