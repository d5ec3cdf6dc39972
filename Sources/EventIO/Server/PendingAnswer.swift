import HTTPMessage

/// A request whose answer has not been written. Answers leave in the order of the requests.
struct PendingAnswer {
    /// The exchange with the service; nil when the listener itself answers.
    var exchange: HTTPExchange?
    /// The answer, while it waits for earlier ones.
    var response: HTTPResponse?
    let form: AnswerForm
}

/// The properties of a request that decide the form of its answer.
struct AnswerForm {
    /// A `HEAD` request: the answer has no content whatever its fields say (RFC 9110 §9.3.2).
    var isHead = false
    /// The client's HTTP version, 1.`minorVersion`.
    var minorVersion = 1
    /// Whether the connection closes after the answer, although the rest of the request is still to be discarded.
    var isLast = false
}

/// The requests of one connection that wait for their answers, oldest first.
struct PendingAnswers {
    private var items: [PendingAnswer] = []
    private var head = 0

    var count: Int { items.count - head }

    var isEmpty: Bool { head == items.count }

    /// The oldest. There must be one.
    var first: PendingAnswer {
        get { items[head] }
        set { items[head] = newValue }
    }

    mutating func append(_ item: PendingAnswer) {
        items.append(item)
    }

    mutating func removeFirst() {
        head += 1
        if head == items.count {
            items.removeAll(keepingCapacity: true)
            head = 0
        } else if head == PendingAnswers.compactionThreshold {
            items.removeFirst(head)
            head = 0
        } else {
            items[head - 1].exchange = nil
            items[head - 1].response = nil
        }
    }

    /// Stores an answer out of turn. Returns false when its exchange is not waiting here.
    mutating func store(_ response: HTTPResponse, for exchange: HTTPExchange) -> Bool {
        guard let index = items[head...].firstIndex(where: { $0.exchange === exchange }) else { return false }
        items[index].response = response
        items[index].exchange = nil
        return true
    }

    /// Removes and returns all.
    mutating func removeAll() -> [PendingAnswer] {
        let all = Array(items[head...])
        items = []
        head = 0
        return all
    }

    private static let compactionThreshold = 64
}
