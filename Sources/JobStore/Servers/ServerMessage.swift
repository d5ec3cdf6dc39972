package import JobKit

/// A message of one server to the others, about a job.
package struct ServerMessage: Sendable, Hashable {
    package enum Kind: UInt8, Sendable {
        /// A question for the server that runs the job.
        case question = 1
        /// The answer to a question.
        case answer = 2
        /// A fact for all.
        case notice = 3
    }

    package var kind: Kind
    /// The number of the question.
    package var number: UInt64
    package var job: JobID
    /// The sort of question or fact, of at most 100 bytes.
    package var subject: String
    package var body: [UInt8]

    package init(_ kind: Kind, number: UInt64 = 0, job: JobID, subject: String, body: [UInt8] = []) {
        self.kind = kind
        self.number = number
        self.job = job
        self.subject = subject
        self.body = body
    }
}
