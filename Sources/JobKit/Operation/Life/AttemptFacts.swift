internal import HTTPMessage
internal import StrictJSON

/// The current attempt of an operation and its last call.
struct AttemptFacts {
    private(set) var number = 0
    /// Whether it is in flight, of an operation that keeps its run meanwhile.
    var keepsItsRun = false
    /// The messages that the operation took in this run, by number, in all attempts.
    private(set) var taken: [Int] = []
    /// Those that the attempt has got.
    private var given: Set<Int> = []
    /// The names of waits in the journal, of an attempt that keeps its run: one each, however often it waits.
    private var notedWaits: Set<ByteKey> = []
    private var answer: Answer?
    /// The right to make the call of the attempt that begins.
    private var pass: OriginPass?
    /// The URL of that call; nil when it was not known before.
    var nextURL: String? { pass?.url }
    /// The origin of the last call.
    var origin: String?

    /// The exchange of the last call.
    var exchange: HTTPCallExchange? { answer?.exchange }
    /// The status of its answer.
    var status: Int? { answer?.status }

    /// Apart from the rest: large, and nothing that an operation without calls has.
    private final class Answer: Sendable {
        let exchange: HTTPCallExchange
        let status: Int?

        init(_ exchange: HTTPCallExchange, status: Int?) { (self.exchange, self.status) = (exchange, status) }
    }

    mutating func begin(_ number: Int) {
        self.number = number
        answer = nil
        given = []
        notedWaits = []
    }

    /// Takes a message for good.
    mutating func take(_ number: Int) {
        taken.append(number)
        given.insert(number)
    }

    /// Gives a message that was taken before to the attempt; false when it has got that already.
    mutating func give(_ number: Int) -> Bool { given.insert(number).inserted }

    /// Whether a wait with this name is to be stored.
    mutating func stores(_ wait: String) -> Bool { !keepsItsRun || notedWaits.insert(ByteKey(wait)).inserted }

    mutating func note(_ exchange: HTTPCallExchange, status: Int?) {
        answer = Answer(exchange, status: status)
    }

    mutating func give(_ pass: OriginPass) { self.pass = pass }

    /// Takes the pass for the call, if it fits.
    mutating func takePass(where fits: (OriginPass) -> Bool) -> OriginPass? {
        guard let pass, fits(pass) else { return nil }
        self.pass = nil
        origin = pass.origin
        return pass
    }
}
