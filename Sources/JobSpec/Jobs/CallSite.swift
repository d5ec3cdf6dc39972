package import HTTPMessage
package import JobKit
internal import StrictJSON

/// A call of a job, reconstructed after the run from the spec and the journal.
package struct CallSite: Sendable {
    /// The path of the operation below the root.
    package let path: [String]
    private let call: NetworkSpec
    /// The URL that a page before named, which is called instead.
    private let followed: String?
    private let history: OperationHistory
    private let references: ReferenceReader
    private let connections: (any ConnectionBook)?

    /// The text in place of a credential.
    package static let hidden = "(hidden)"

    /// The calls of a job by the path of their operations. Operations that have not been created yet are omitted.
    /// - Parameters:
    ///   - seed: the job's id.
    ///   - submittedAt: the time of its submission.
    ///   - connections: the current connections that calls may name.
    package static func all(
        of spec: JobSpec, fold: JournalFold, seed: String, submittedAt: Timestamp,
        connections: (any ConnectionBook)?
    ) -> [[String]: CallSite] {
        let board = ResultBoard()
        for (path, history) in fold.histories {
            if let ending = history.ending { board.post(ending, at: path) }
        }
        var environment = OperationEnvironment()
        environment.seed = seed
        environment.submittedAt = submittedAt
        var collector = CallSiteCollector(
            fold: fold, board: board, job: JobFacts(spec, environment: environment), connections: connections)
        collector.collect(spec.operation, at: .root, path: [])
        return collector.sites
    }

    fileprivate init(
        path: [String], history: OperationHistory, call: NetworkSpec, followed: String?,
        references: ReferenceReader, connections: (any ConnectionBook)?
    ) {
        self.followed = followed
        self.connections = connections
        self.path = path
        self.history = history
        self.call = call
        self.references = references
    }

    /// The request of an attempt as sent, and whether it is complete: content in a file is omitted. Without secrets.
    /// - Throws: when a value that it was made from no longer exists.
    package func request(
        ofAttempt number: Int
    ) throws(AOperationError) -> (call: HTTPCall, isWhole: Bool) {
        var reader = references
        reader.attempt = number
        let connection = try call.connection(in: connections)
        let callPath = history.callPath(path, ofAttempt: number)
        var (request, isWhole) = try made(reader, connection, callPath)
        var isHome = true
        if let followed = history.followedURL(ofAttempt: number) ?? followed {
            isHome = request.hasSameOrigin(as: followed)
            (request, isWhole) = (request.following(followed), true)
        }
        let auth = call.auth(by: connection, for: request.url)
        if isHome {
            for name in auth.fieldNames { request.fields.append((name, Self.hidden)) }
        }
        return (request, isWhole)
    }
}

extension CallSite {
    /// The request; without its content when that has an upload, is in a file, or no longer exists.
    private func made(
        _ reader: ReferenceReader, _ connection: ConnectionSpec?, _ callPath: [String]
    ) throws(AOperationError) -> (HTTPCall, Bool) {
        let seed = references.job.id
        let lookup = { reader.lookup(StepMeter(StepMeter.viewMax, of: reader.name)) }
        do throws(AOperationError) {
            if call.body?.hasUpload != true {
                let whole = try call.makeCall(
                    lookup: lookup(), seed: seed, path: callPath, connection: connection)
                return (whole, true)
            }
        } catch {}
        var bare = call
        bare.body = nil
        let rest = try bare.makeCall(lookup: lookup(), seed: seed, path: callPath, connection: connection)
        return (rest, false)
    }
}

/// Walks a spec in the order of the compiler.
private struct CallSiteCollector {
    let fold: JournalFold
    let board: ResultBoard
    let job: JobFacts
    let connections: (any ConnectionBook)?
    var sites: [[String]: CallSite] = [:]

    init(fold: JournalFold, board: ResultBoard, job: JobFacts, connections: (any ConnectionBook)?) {
        self.connections = connections
        self.fold = fold
        self.board = board
        self.job = job
    }

    mutating func collect(_ spec: OperationSpec, at place: SpecPlace, path: [String]) {
        let references = ReferenceReader(board: board, job: job, place: place, path: path, name: spec.name)
        if let call = spec.call {
            sites[path] = CallSite(
                path: path, history: fold.histories[path] ?? OperationHistory(), call: call,
                followed: (spec.kind.work as? PageSpec)?.followed, references: references,
                connections: connections)
        }
        for inner in spec.kind.work.begun(in: fold, references) {
            collect(inner.spec, at: inner.place, path: inner.path)
        }
    }
}
