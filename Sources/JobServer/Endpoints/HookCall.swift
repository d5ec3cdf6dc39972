import DurableJobs
import HTTPMessage
import JobKit
import JobRunner
import JobSpec
import JobStore
import OpenSSLCrypto
import StrictJSON

// DESIGN
// A delivery and its effect are one transaction: a sender that is answered 2xx finds both after a crash, and a
// repetition finds the first delivery by its keys and has no second effect. It runs where reads may block.

/// A delivery that is to have its effect.
struct HookCall: Sendable {
    let context: RequestContext
    let name: String
    let tenant: Tenant?
    let spec: HookSpec
    let content: HookDelivery
    let body: [UInt8]
    /// Nil for a delivery from outside.
    var replay: DeliveryWrite.Replay?
    var record: DeliveryRecord

    /// The effect of a call.
    typealias Outcome = Result<DeliveryWrite.Reply, JobStoreError>

    /// The digests by which a delivery is known again.
    /// - Parameter hook: its name in the store.
    static func keys(of hook: String, _ id: String?, _ body: [UInt8]?, _ query: [UInt8]) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        if let id { keys.append(key([Array("id\u{0}\(hook)\u{0}\(id)".utf8)])) }
        if let body { keys.append(key([Array("body\u{0}\(hook)\u{0}".utf8), query, [0], body])) }
        return keys
    }

    /// The digest by which the replays of a delivery are known.
    static func replayKey(_ id: DeliveryID) -> [UInt8] { key([Array("replay\u{0}\(id)".utf8)]) }

    /// Half a digest: a sender gains nothing by two deliveries with one key, and narrow keys share pages.
    private static func key(_ parts: [[UInt8]]) -> [UInt8] { Array(SHA256.digest(of: parts).prefix(16)) }

    /// The id of a new delivery.
    static func newID(_ context: RequestContext, at now: Timestamp) -> DeliveryID {
        var words = DrawnWords(context.door.randomWords.pair())
        return DeliveryID(bits: JobID(at: now, using: &words))
    }

    /// Decides, stores, and calls `then`, from any thread, also with the reason why the store refused.
    /// - Parameter reader: sees what the tenant of the hook sees.
    /// - Throws: when nothing is stored, because it cannot have an effect.
    func run(
        _ reader: any JobReader, _ store: any RequestStore,
        then: @escaping @Sendable (Result<DeliveryWrite.Reply, Problem>) throws(Problem) -> Void
    ) throws(Problem) {
        var write = DeliveryWrite(record)
        write.replay = replay
        write.delivery.head = content.head
        write.delivery.body = body
        if let reason = try ignored() {
            write.delivery.outcome = .ignored
            (write.delivery.reason, write.delivery.detail) = ("when", reason)
        } else {
            switch spec.effect {
            case .job(let job): write.job = try self.job(job, reader)
            case .signal(let signal):
                write.delivery.outcome = .signalled
                write.signal = try self.signal(signal, reader)
            }
        }
        perform(write, store, then: then)
    }

    /// Stores a delivery that has no effect.
    func ignore(
        _ reason: String, _ detail: String, _ store: any RequestStore,
        then: @escaping @Sendable (Result<DeliveryWrite.Reply, Problem>) throws(Problem) -> Void
    ) {
        var write = DeliveryWrite(record)
        write.delivery.outcome = .ignored
        (write.delivery.reason, write.delivery.detail) = (reason, detail)
        (write.delivery.head, write.delivery.body) = (content.head, body)
        perform(write, store, then: then)
    }

    private func perform(
        _ write: DeliveryWrite, _ store: any RequestStore,
        then: @escaping @Sendable (Result<DeliveryWrite.Reply, Problem>) throws(Problem) -> Void
    ) {
        let server = context.server
        store.perform(write) { [context] result in
            if case .success(let reply) = result {
                if reply.isStored { server.metrics.hooks.count(reply.delivery.outcome) }
                if let outcome = reply.submitted {
                    UniqueKey.stopReplaced(by: .success(outcome), server.engine)
                }
                if let receipt = reply.posted, receipt.isRunning,
                    case .message(let message) = write.signal?.journal.event
                {
                    server.engine.deliver(message, number: receipt.number, to: receipt.job.id)
                }
            }
            context.goOn { () throws(Problem) in try then(Self.reply(result)) }
        }
    }

    private static func reply(_ result: Outcome) -> Result<DeliveryWrite.Reply, Problem> {
        if case .failure(let error) = result {
            switch error.code {
            case .missing(.job), .wrongState: return .failure(Problem(.hookNoJob, error.detail))
            default: break
            }
        }
        return Result { () throws(Problem) in try stored(result.get()) }
    }

    /// Why the delivery does not satisfy the hook's predicate; nil when it does.
    private func ignored() throws(Problem) -> String? {
        guard let when = spec.when else { return nil }
        do throws(AOperationError) {
            return try content.satisfies(when) ? nil : "\"when\" does not hold."
        } catch {
            if error.code == .evaluationTooLong { throw Problem(.hookUnfit, error.detail) }
            return error.detail
        }
    }

    private func job(_ job: HookJob, _ reader: any JobReader) throws(Problem) -> NewJob {
        do throws(Intake.Refusal) {
            var made = try context.server.intake.scoped(to: tenant).job(
                job, of: name, for: content, reader: reader, now: record.receivedAt,
                random: context.door.randomWords)
            made.note(createdBy: "hook:\(name)")
            return made
        } catch {
            switch error {
            case .store(let failure): throw Problem(failure)
            case .problems(let problems):
                let sentence = problems.list.first?.sentence ?? "The spec of the job has problems."
                throw Problem(.hookUnfit, "No job can be made of this delivery: \(sentence)")
            }
        }
    }

    private func signal(_ signal: HookSignal, _ reader: any JobReader) throws(Problem) -> DeliveryWrite.Signal
    {
        let (key, value): (String, JSONValue)
        do throws(AOperationError) {
            value = try content.value(of: signal.value)
            switch signal.target {
            case .uniqueKey(let binding), .label(_, let binding): key = try content.text(of: binding)
            }
        } catch { throw Problem(.hookUnfit, error.detail) }
        let target: DeliveryWrite.Signal.Target =
            switch signal.target {
            case .uniqueKey: .holder(of: key)
            case .label(let label, _): try newest(label, key, reader)
            }
        guard value.encodedCount(upTo: SendSignal.bytesMax) != nil else {
            throw Problem(.hookUnfit, "The value of a signal has at most \(SendSignal.bytesMax) bytes.")
        }
        let message = JobMessage(by: "hook:\(name)", content: .signal(name: signal.name, value: value))
        return DeliveryWrite.Signal(
            to: target, JournalEntry(at: record.receivedAt, path: [], event: .message(message)))
    }

    /// The newest unfinished job with a label.
    private func newest(
        _ label: String, _ value: String, _ reader: any JobReader
    ) throws(Problem) -> DeliveryWrite.Signal.Target {
        var query = JobListQuery()
        query.states = Set(JobState.allCases.filter { !$0.isFinal })
        query.labels = [JobSpec.Label(key: label, value: value)]
        query.limit = 1
        if let id = try stored(reader.ids(query)).ids.first { return .job(id) }
        return .missing("No unfinished job has the label \(label) with the value \(String(quotable: value)).")
    }
}
