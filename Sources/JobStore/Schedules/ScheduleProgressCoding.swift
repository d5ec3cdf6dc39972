package import JobKit
import StrictJSON

extension ScheduleProgress {
    /// The progress as it is stored: an object without the members that are nil.
    package var encoded: [UInt8] {
        var json = JSONWriter(capacity: 192)
        json.beginObject()
        if let next { json.member("next", next.milliseconds) }
        if let wakeAt { json.member("wake_at", wakeAt.milliseconds) }
        if let pause {
            json.name("pause")
            json.beginObject()
            json.member("at", pause.at.milliseconds)
            json.member("by", pause.by)
            json.member("reason", pause.reason)
            json.endObject()
        }
        json.member("runs", runs)
        json.member("failures", failures)
        json.member("caught_up", caughtUp)
        if let catchesUpSince { json.member("catches_up_since", catchesUpSince.milliseconds) }
        Self.write(open, as: "open", to: &json)
        if let note {
            json.name("note")
            json.beginObject()
            json.member("at", note.at.milliseconds)
            json.member("detail", note.detail)
            json.endObject()
        }
        if let backfill { Self.write(backfill, to: &json) }
        json.endObject()
        return json.bytes
    }

    private static func write(_ backfill: Backfill, to json: inout JSONWriter) {
        json.name("backfill")
        json.beginObject()
        json.member("next", backfill.next.milliseconds)
        json.member("to", backfill.to.milliseconds)
        json.member("only", backfill.only.rawValue)
        json.member("concurrency", backfill.concurrency)
        write(backfill.open, as: "open", to: &json)
        json.member("made", backfill.made)
        json.member("looked", backfill.looked)
        json.member("started_at", backfill.startedAt.milliseconds)
        json.member("started_by", backfill.startedBy)
        json.endObject()
    }

    private static func write(_ ids: [JobID], as name: String, to json: inout JSONWriter) {
        if ids.isEmpty { return }
        json.name(name)
        json.beginArray()
        for id in ids { json.value(id.description) }
        json.endArray()
    }

    /// - Throws: when the bytes were not written by `encoded`.
    package init(decoding bytes: [UInt8]) throws(StoredFormError) {
        let stored = try StoredObject(decoding: bytes, as: "progress of a schedule")
        next = try stored.moment("next")
        wakeAt = try stored.moment("wake_at")
        if let pause = try stored.inner("pause") {
            self.pause = Pause(
                at: try pause.require(try pause.moment("at"), "at"), by: try pause.string("by"),
                reason: try pause.string("reason"))
        }
        runs = try stored.int("runs") ?? 0
        failures = try stored.int("failures") ?? 0
        caughtUp = try stored.int("caught_up") ?? 0
        catchesUpSince = try stored.moment("catches_up_since")
        open = try Self.ids(stored, "open")
        if let note = try stored.inner("note") {
            self.note = Note(
                at: try note.require(try note.moment("at"), "at"),
                detail: try note.require(try note.string("detail"), "detail"))
        }
        if let backfill = try stored.inner("backfill") { self.backfill = try Backfill(backfill) }
    }

    fileprivate static func ids(_ stored: StoredObject, _ name: String) throws(StoredFormError) -> [JobID] {
        try stored.strings(name).compactMap { JobID($0) }
    }
}

extension ScheduleProgress.Backfill {
    fileprivate init(_ stored: StoredObject) throws(StoredFormError) {
        self.init(
            from: try stored.require(try stored.moment("next"), "next"),
            to: try stored.require(try stored.moment("to"), "to"), only: try stored.word("only") ?? .missing,
            concurrency: try stored.int("concurrency") ?? 1,
            startedAt: try stored.require(try stored.moment("started_at"), "started_at"),
            startedBy: try stored.string("started_by") ?? "")
        open = try ScheduleProgress.ids(stored, "open")
        made = try stored.int("made") ?? 0
        looked = try stored.int("looked") ?? 0
    }
}
