package import JobKit
internal import StrictJSON

/// The requests to one callback URL: the row of a wait, which exists from the first of them on.
package struct CallbackStanding: Sendable, Hashable {
    /// The requests that are kept.
    package static let callsMax = 100
    /// The refused requests that are kept at once, after which one is kept each `refusedEvery`: a holder of the URL may
    /// send as many as the network carries.
    package static let refusedMax = 20
    package static let refusedEvery = Duration.seconds(300)
    /// The maximum length of the reason of a kept request, in bytes.
    private static let reasonBytesMax = 400
    /// The completing bodies of earlier tries that are known: their repetition is harmless.
    private static let digestsMax = 16

    package var place: CallbackPlace
    /// The retries of the job when the rest was written: a later try of the operation waits anew.
    package var retries = 0
    /// The digest of the body that ended the wait; nil while none did.
    package var taken: [UInt8]?
    /// The time when it came.
    package var takenAt: Timestamp?
    /// Whether it completed the wait, rather than reporting a failure.
    package var isCompleted = false
    /// The digests that ended waits of earlier tries.
    package var earlier: [[UInt8]] = []
    /// The time when the wait ended without a report.
    package var closedAt: Timestamp?
    /// The last sign of life of the sender.
    package var heardAt: Timestamp?
    /// The progress that the sender reported last, as JSON.
    package var progress: [UInt8]?
    /// The number of requests that did not end the wait and were kept, of which `calls` has the last ones.
    package var callCount = 0
    package var calls: [Call] = []

    /// A request that did not end the wait.
    package struct Call: Sendable, Hashable {
        package var at: Timestamp
        /// The status of the answer; 202 for one that does not meet `when`.
        package var status: Int
        /// For people.
        package var reason: String
        /// The address that it came from.
        package var address: String?

        /// Whether it was not even a sign of life.
        var isRefused: Bool { status >= 400 }

        package init(at: Timestamp, status: Int, reason: String, address: String?) {
            self.at = at
            self.status = status
            self.reason = reason
            self.address = address
        }
    }

    package init(_ place: CallbackPlace) { self.place = place }

    /// The name of the row among those of its job.
    package static func name(of place: CallbackPlace) -> String {
        "\(place.round)/\(OperationAddress.text(of: place.path))"
    }

    /// Begins a later try. A completion stays: its URL is not used again. A failure, and an end without a report, are
    /// those of the earlier try.
    package mutating func enter(try retries: Int) {
        guard retries > self.retries else { return }
        self.retries = retries
        if isCompleted { return }
        if let taken { earlier = Array((earlier + [taken]).suffix(Self.digestsMax)) }
        (taken, takenAt, closedAt, progress) = (nil, nil, nil, nil)
    }

    /// The effect of a request once the wait has ended; nil before that.
    /// - Parameters:
    ///   - digest: that of a request which would end the wait.
    ///   - isOver: whether the wait has ended otherwise, as the caller knows.
    package func end(for digest: [UInt8]?, isOver: Bool) -> CallbackOutcome? {
        if let digest, taken == digest || earlier.contains(digest) { return .repeated }
        if taken != nil { return .conflict }
        return isOver || closedAt != nil ? .over : nil
    }

    /// Whether a refused request that comes now is kept.
    package func keepsRefused(at now: Timestamp) -> Bool {
        let refused = calls.lazy.filter { $0.isRefused }
        guard let last = refused.last, refused.count >= Self.refusedMax else { return true }
        return now.since(last.at) >= Self.refusedEvery
    }

    /// Keeps a request that did not end the wait.
    package mutating func keep(_ call: Call) {
        var call = call
        if call.reason.utf8.count > Self.reasonBytesMax {
            call.reason = String(decoding: call.reason.utf8.prefix(Self.reasonBytesMax), as: UTF8.self)
        }
        callCount += 1
        // Refused ones stay: they are counted for `keepsRefused`.
        if calls.count >= Self.callsMax {
            calls.remove(at: calls.firstIndex { !$0.isRefused } ?? 0)
        }
        calls.append(call)
    }
}

/// The stored form.
extension CallbackStanding {
    /// The row as JSON.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("path", place.path)
        writer.member("round", place.round)
        writer.member("retries", retries)
        writer.member("taken", ifKnown: taken.map { HexText.encode($0) })
        writer.member("taken_at", ifKnown: takenAt?.description)
        writer.member("completed", isCompleted)
        writer.member("earlier", earlier.map { HexText.encode($0) })
        writer.member("closed_at", ifKnown: closedAt?.description)
        writer.member("heard_at", ifKnown: heardAt?.description)
        if let progress { writer.member("progress", raw: progress) }
        writer.member("call_count", callCount)
        writer.name("calls")
        writer.beginArray()
        for call in calls {
            writer.beginObject()
            writer.member("at", call.at.milliseconds)
            writer.member("status", call.status)
            writer.member("reason", call.reason)
            writer.member("address", ifKnown: call.address)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Reads a row.
    /// - Throws: `.corrupt`: taken for none, a second request would end the wait again.
    package static func read(_ bytes: [UInt8]) throws(JobStoreError) -> CallbackStanding {
        do throws(StoredFormError) { return try CallbackStanding(stored: bytes) } catch {
            throw JobStoreError(.corrupt, "The requests to a callback URL cannot be read: \(error.detail)")
        }
    }

    private init(stored bytes: [UInt8]) throws(StoredFormError) {
        let stored = try StoredObject(decoding: bytes, as: "callback")
        func time(_ name: String) throws(StoredFormError) -> Timestamp? {
            try stored.string(name).flatMap { try? Timestamp.parse($0) }
        }
        self.init(
            CallbackPlace(
                path: try stored.strings("path"), round: try stored.require(try stored.int("round"), "round"))
        )
        retries = try stored.int("retries") ?? 0
        taken = try stored.string("taken").flatMap { HexText.decode($0) }
        takenAt = try time("taken_at")
        isCompleted = try stored.bool("completed") ?? false
        earlier = try stored.strings("earlier").compactMap { HexText.decode($0) }
        closedAt = try time("closed_at")
        heardAt = try time("heard_at")
        progress = stored.value("progress")?.encoded()
        callCount = try stored.int("call_count") ?? 0
        for value in try stored.array("calls") {
            let call = try StoredObject(value, as: "call")
            calls.append(
                Call(
                    at: Timestamp(milliseconds: Int64(try call.require(try call.int("at"), "at"))),
                    status: try call.require(try call.int("status"), "status"),
                    reason: try call.require(try call.string("reason"), "reason"),
                    address: try call.string("address")))
        }
    }
}

/// Reads of what came to callback URLs.
package protocol StandingReads: Sendable {
    /// The requests to one callback URL; nil when none came.
    /// - Throws: `.corrupt` when the row cannot be read.
    func callback(of id: JobID, _ place: CallbackPlace) throws(JobStoreError) -> CallbackStanding?
}
