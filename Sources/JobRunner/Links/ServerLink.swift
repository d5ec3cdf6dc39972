package import JobKit
package import JobStore
internal import Synchronization

// DESIGN
// A question is a message in the store. All servers that share it see the question with their next look at what others
// committed, within 50 ms, and the one that runs the job answers in the same way. So it works without addresses, tokens
// and certificates between servers, and finds a job that has just moved. Nothing depends on an answer: it may be lost
// with the server that was to give it, and who asks goes on without it.

/// Asks the other servers of a shared store about the jobs that they run, and answers their questions.
package final class ServerLink: Sendable {
    /// Answers a question, or does not when the job does not run here.
    package typealias Handler =
        @Sendable (_ job: JobID, _ body: [UInt8], _ answer: @escaping @Sendable ([UInt8]) -> Void) -> Void

    /// The maximum size of an answer; a larger one is not sent.
    private static let answerBytesMax = 512 << 10

    private let store: (any SharedStore)?
    private let loop: any EngineLoop
    private let asked = Mutex<[UInt64: @Sendable ([UInt8]?) -> Void]>([:])
    private let handlers = Mutex<[String: Handler]>([:])

    /// - Parameter store: nil when no other server uses it.
    init(store: (any SharedStore)?, loop: any EngineLoop) {
        self.store = store
        self.loop = loop
    }

    /// Answers questions with `handler`, and takes notices of this sort.
    package func on(_ subject: String, _ handler: @escaping Handler) {
        handlers.withLock { $0[subject] = handler }
    }

    /// Answers nothing any more.
    func release() { handlers.withLock { $0 = [:] } }

    /// Asks the server that runs a job. Calls `answer` once, with nil when none answers in time or no other server uses
    /// the store.
    package func ask(
        _ subject: String, about job: JobID, _ body: [UInt8] = [], within limit: Duration = .seconds(1),
        then answer: @escaping @Sendable ([UInt8]?) -> Void
    ) {
        guard let store else { return answer(nil) }
        let number = UInt64.random(in: 1...UInt64.max)
        asked.withLock { $0[number] = answer }
        let question = ServerMessage(.question, number: number, job: job, subject: subject, body: body)
        store.perform(ServerNotice([question])) { [self] reply in
            if case .failure = reply { end(number, nil) }
        }
        Task(executorPreference: loop) { [self] in
            try? await loop.clock.sleep(for: limit)
            end(number, nil)
        }
    }

    /// Tells all other servers.
    package func notify(_ subject: String, of job: JobID, _ body: [UInt8] = []) {
        notify([ServerMessage(.notice, job: job, subject: subject, body: body)])
    }

    func notify(_ notices: [ServerMessage]) {
        if !notices.isEmpty { store?.perform(ServerNotice(notices)) { _ in } }
    }

    /// Handles the messages of other servers. From any thread.
    package func observe(_ messages: [ServerMessage]) {
        for message in messages {
            if message.kind == .answer {
                end(message.number, message.body)
                continue
            }
            guard let handler = handlers.withLock({ $0[message.subject] }) else { continue }
            handler(message.job, message.body) { [self] body in
                guard message.kind == .question, body.count <= Self.answerBytesMax else { return }
                let answer = ServerMessage(
                    .answer, number: message.number, job: message.job, subject: message.subject, body: body)
                store?.perform(ServerNotice([answer])) { _ in }
            }
        }
    }

    private func end(_ number: UInt64, _ answer: [UInt8]?) {
        asked.withLock { $0.removeValue(forKey: number) }?(answer)
    }
}
