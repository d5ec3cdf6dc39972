import Commands
import HTTPMessage
import JobJournal
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// The attempts of a job as an HTTP Archive (HAR 1.2): one entry for each finished attempt of a call.
///
/// Members that HAR does not define begin with `_`. Unknown sizes are -1. Requests are reconstructed from the spec and
/// the journal; credentials in fields and queries are replaced.
struct HARBody {
    static let contentType = "application/har+json"

    private let history: JobHistory
    private let rootResult: OperationResult?
    private let sites: [[String]: CallSite]

    /// - Parameters:
    ///   - rootResult: the result of the job itself, which is stored apart from its history.
    ///   - connections: the connections that calls may name.
    init(_ history: JobHistory, rootResult: OperationResult?, connections: any ConnectionBook) {
        self.history = history
        self.rootResult = rootResult
        sites = history.callSites(connections)
    }

    /// The maximum size of an archive: 64 MiB.
    static let bytesMax = 64 << 20

    /// - Parameter bytesMax: the maximum size.
    /// - Throws: `.historyTooLong` when it would be longer: a part of an archive would look like all of it.
    func bytes(_ operations: [OperationView], bytesMax: Int = HARBody.bytesMax) throws(Problem) -> [UInt8] {
        var json = JSONWriter(capacity: 4_096)
        json.beginObject()
        json.name("log")
        json.beginObject()
        json.member("version", "1.2")
        json.name("creator")
        json.beginObject()
        json.member("name", "jobserver")
        json.member("version", Version.text)
        json.endObject()
        json.member("comment", history.job.id.description)
        json.name("entries")
        json.beginArray()
        for (operation, attempt) in Self.inOrder(operations) {
            append(attempt, of: operation, to: &json)
            guard json.bytes.count <= bytesMax else {
                throw Problem(
                    .historyTooLong,
                    "The archive of \(history.job.id) would have more than \(bytesMax >> 20) MiB. Ask for the attempts of "
                        + "one operation, with ?operation=, or for JSON, which comes page by page.")
            }
        }
        json.endArray()
        json.endObject()
        json.endObject()
        return json.line()
    }

    private static func inOrder(_ operations: [OperationView]) -> [(OperationView, AttemptRecord)] {
        operations.flatMap { operation in operation.attempts.map { (operation, $0) } }
            .sorted { $0.1.startedAt < $1.1.startedAt }
    }

    private func append(_ attempt: AttemptRecord, of operation: OperationView, to json: inout JSONWriter) {
        guard let site = sites[operation.path] else { return }
        let timings = HARTimings(attempt)
        json.beginObject()
        json.member("startedDateTime", attempt.startedAt)
        json.member("time", timings.total)
        json.name("request")
        HARRequest(try? site.request(ofAttempt: attempt.number), attempt).write(to: &json)
        json.name("response")
        HARResponse(attempt, result: result(of: operation, attempt)).write(to: &json)
        json.name("cache")
        json.beginObject()
        json.endObject()
        json.name("timings")
        timings.write(to: &json)
        if let peer = attempt.exchange?.peer, let colon = peer.lastIndex(of: ":") {
            let address = peer[..<colon].filter { $0 != "[" && $0 != "]" }
            json.member("serverIPAddress", address)
            json.member("connection", String(peer[peer.index(after: colon)...]))
        }
        json.name("_attempt")
        attempt.writeShown(of: operation.path, to: &json)
        json.endObject()
    }

    /// The result of the operation, when this attempt produced it.
    private func result(of operation: OperationView, _ attempt: AttemptRecord) -> OperationResult? {
        guard attempt.outcome == .succeeded, attempt.number == operation.attempts.last?.number else {
            return nil
        }
        return operation.path.isEmpty ? rootResult : operation.result
    }
}

/// The timings of an entry: milliseconds that add up to its total time.
private struct HARTimings {
    var blocked: Double?
    var dns: Double?
    var connect: Double?
    var tls: Double?
    var send = 0.0
    var wait = 0.0
    var receive = 0.0
    var total = 0.0

    init(_ attempt: AttemptRecord) {
        let elapsed = Double(attempt.finishedAt.milliseconds - attempt.startedAt.milliseconds)
        guard let exchange = attempt.exchange else {
            (blocked, total) = (max(0, elapsed), max(0, elapsed))
            return
        }
        dns = exchange.dnsMilliseconds
        tls = exchange.tlsMilliseconds
        connect = exchange.connectMilliseconds.map { $0 + (tls ?? 0) }
        send = exchange.sendMilliseconds ?? 0
        wait = exchange.waitMilliseconds ?? 0
        receive = exchange.receiveMilliseconds ?? 0
        let known = (dns ?? 0) + (connect ?? 0) + send + wait + receive
        blocked = max(0, (exchange.totalMilliseconds ?? known) - known)
        total = known + (blocked ?? 0)
    }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("blocked", blocked ?? -1)
        json.member("dns", dns ?? -1)
        json.member("connect", connect ?? -1)
        json.member("ssl", tls ?? -1)
        json.member("send", send)
        json.member("wait", wait)
        json.member("receive", receive)
        json.endObject()
    }
}
