import HTTPMessage

/// The memory that the unfinished request bodies of a listener take.
struct BodyMemory {
    private let bytesMax: Int
    private var bytes = 0
    /// The bytes of clients that may take only half of all.
    private var byAddress: [IPAddress: Int] = [:]

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Takes memory for a piece of a body; the refusal when there is none left.
    /// - Parameter owner: a client that may take only half; nil when it may take all.
    mutating func take(_ count: Int, for owner: IPAddress?) -> ListenerRefusal? {
        guard bytes + count <= bytesMax else { return .tooManyBodies }
        if let owner {
            let own = byAddress[owner, default: 0] + count
            guard own <= bytesMax / 2 else { return .tooManyBodiesOfOne }
            byAddress[owner] = own
        }
        bytes += count
        return nil
    }

    /// Releases what `take` has taken for the same owner.
    mutating func release(_ count: Int, of owner: IPAddress?) {
        bytes -= count
        guard let owner, let own = byAddress[owner] else { return }
        byAddress[owner] = own > count ? own - count : nil
    }
}
