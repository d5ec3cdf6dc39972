// DESIGN
// libcurl has limits of connections, too, but no line: transfers beyond a limit are tried again, all of them, each time
// that one ends, and some versions count the wait as time of the connection. So it is given no more transfers than
// there are connections, and the others wait here.
//
// A transfer takes a connection of its own until its place turns out to be multiplexed (HTTP/2); from then on each
// connection counts as many transfers as it has streams. If a server permits fewer streams than that, and all permitted
// connections are full of them, the rest waits inside libcurl.
//
// The callers that wait at a place take turns, and so do the places when the connections are used up in total.

/// The transfers that have a connection, and the line of those that wait for one, as a value.
///
/// Every operation takes the same short time, however many wait.
struct TransferLine<Element> {
    /// The limits of a line, each at least 1.
    struct Limits: Hashable {
        /// The connections to one place.
        let connectionsPerPlace: Int
        /// The connections in total.
        let connections: Int
        /// The transfers on one multiplexed connection.
        let streams: Int
        /// The transfers on all multiplexed connections to one place.
        let streamsPerPlace: Int

        init(connectionsPerPlace: Int, connections: Int, streams: Int) {
            self.connectionsPerPlace = max(1, connectionsPerPlace)
            self.connections = max(1, connections)
            self.streams = max(1, streams)
            let (product, overflows) = self.streams.multipliedReportingOverflow(by: self.connectionsPerPlace)
            streamsPerPlace = overflows ? .max : product
        }
    }

    /// Transfers with the same key may share connections.
    struct Key: Hashable {
        /// The number of the route.
        let route: Int
        /// The host and the port to which the connection leads.
        let host: String
        let port: Int
    }

    private typealias Queues = LinkedNodes<Queue>

    private struct Place {
        let key: Key
        var inFlight = 0
        var waiting = 0
        var isMultiplexed = false
        /// The queues of its callers, in the order of their turns.
        var turns = Queues.List()
        var queues: [Int: Int] = [:]
        /// Its node in `open`.
        var opening: Int?
    }

    /// The transfers of one caller that wait at one place.
    private struct Queue {
        let place: Int
        let caller: Int
        var waiters = LinkedNodes<Waiter>.List()
    }

    private struct Waiter {
        let element: Element
        let queue: Int
    }

    let limits: Limits
    private var places: [Place] = []
    private var indices: [Key: Int] = [:]
    private var unusedIndices: [Int] = []
    private var lastIndex: Int?
    /// The number of places from which those that are not in use are forgotten.
    private var placesToKeep = TransferLine.placesKeptMin
    /// The connections in use.
    private(set) var connections = 0

    private var waiters = LinkedNodes<Waiter>()
    private var queues = Queues()
    /// The places with room at which transfers wait, in the order of their turns.
    private var openPlaces = LinkedNodes<Int>()
    private var open = LinkedNodes<Int>.List()

    private static var placesKeptMin: Int { 256 }

    init(_ limits: Limits) { self.limits = limits }

    /// The number of transfers that wait.
    var waitingCount: Int { waiters.count }

    /// The number of transfers that have a connection to a place.
    func inFlight(at place: Int) -> Int { places[place].inFlight }

    func isMultiplexed(_ place: Int) -> Bool { places[place].isMultiplexed }

    // MARK: Events

    /// The place of a key. It stays the same as long as a transfer is or waits there.
    mutating func place(of key: Key) -> Int {
        if let lastIndex, places[lastIndex].key == key { return lastIndex }
        if let known = indices[key] {
            lastIndex = known
            return known
        }
        if indices.count >= placesToKeep { forgetUnused() }
        let place = unusedIndices.popLast() ?? places.count
        if place == places.count { places.append(Place(key: key)) } else { places[place] = Place(key: key) }
        indices[key] = place
        lastIndex = place
        return place
    }

    /// Lets a transfer begin at once; false when it has to wait.
    mutating func begin(at place: Int) -> Bool {
        guard places[place].waiting == 0, hasRoom(at: place) else { return false }
        if needsConnection(at: place), !open.isEmpty || connections >= limits.connections { return false }
        count(1, at: place)
        return true
    }

    /// Adds a transfer to the line of a place.
    /// - Returns: its ticket.
    mutating func wait(_ element: Element, at place: Int, by caller: Int) -> Int {
        let queue = queue(of: caller, at: place)
        let waiter = Waiter(element: element, queue: queue)
        places[place].waiting += 1
        var list = queues[queue]?.waiters ?? LinkedNodes.List()
        let ticket = waiters.append(waiter, to: &list)
        queues[queue]?.waiters = list
        placeInTurns(place)
        return ticket
    }

    /// Removes a transfer that waits no more.
    mutating func withdraw(_ ticket: Int) {
        guard let waiter = waiters[ticket] else { return }
        remove(ticket, of: waiter.queue)
    }

    /// Takes the first transfer that may begin; nil when none may.
    mutating func next() -> (element: Element, place: Int)? {
        guard let opening = open.first, let place = openPlaces[opening],
            !needsConnection(at: place) || connections < limits.connections,
            let queue = places[place].turns.first, let ticket = queues[queue]?.waiters.first,
            let waiter = waiters[ticket]
        else { return nil }
        openPlaces.rotate(&open)
        queues.rotate(&places[place].turns)
        count(1, at: place)
        remove(ticket, of: queue)
        return (waiter.element, place)
    }

    /// Notes that a transfer has ended.
    mutating func leave(_ place: Int) {
        count(-1, at: place)
        placeInTurns(place)
    }

    /// Notes whether the connections to a place are multiplexed.
    mutating func note(isMultiplexed: Bool, at place: Int) {
        guard places[place].isMultiplexed != isMultiplexed else { return }
        connections -= connectionCount(at: place)
        places[place].isMultiplexed = isMultiplexed
        connections += connectionCount(at: place)
        placeInTurns(place)
    }

    /// The transfers that wait, in no order.
    var waiting: [Element] { waiters.elements.map(\.element) }

    // MARK: Room

    private func hasRoom(at place: Int) -> Bool {
        let most = places[place].isMultiplexed ? limits.streamsPerPlace : limits.connectionsPerPlace
        return places[place].inFlight < most
    }

    private func connectionCount(at place: Int) -> Int {
        let inFlight = places[place].inFlight
        return places[place].isMultiplexed ? (inFlight + limits.streams - 1) / limits.streams : inFlight
    }

    /// Whether one more transfer takes one more connection.
    private func needsConnection(at place: Int) -> Bool {
        !places[place].isMultiplexed || places[place].inFlight % limits.streams == 0
    }

    private mutating func count(_ change: Int, at place: Int) {
        connections -= connectionCount(at: place)
        places[place].inFlight += change
        connections += connectionCount(at: place)
    }

    // MARK: Turns

    /// Lets a place take turns, or not, after a change.
    private mutating func placeInTurns(_ place: Int) {
        let takesTurns = places[place].waiting > 0 && hasRoom(at: place)
        switch (places[place].opening, takesTurns) {
        case (nil, true):
            places[place].opening = openPlaces.append(place, to: &open)
        case (let opening?, false):
            openPlaces.remove(opening, from: &open)
            places[place].opening = nil
        default: break
        }
    }

    private mutating func queue(of caller: Int, at place: Int) -> Int {
        if let queue = places[place].queues[caller] { return queue }
        let queue = queues.append(Queue(place: place, caller: caller), to: &places[place].turns)
        places[place].queues[caller] = queue
        return queue
    }

    private mutating func remove(_ ticket: Int, of node: Int) {
        guard var queue = queues[node] else { return }
        waiters.remove(ticket, from: &queue.waiters)
        queues[node]?.waiters = queue.waiters
        places[queue.place].waiting -= 1
        if queue.waiters.isEmpty {
            queues.remove(node, from: &places[queue.place].turns)
            places[queue.place].queues[queue.caller] = nil
        }
        placeInTurns(queue.place)
    }

    /// Forgets the places without transfers.
    private mutating func forgetUnused() {
        for (key, place) in indices where places[place].inFlight == 0 && places[place].waiting == 0 {
            indices[key] = nil
            unusedIndices.append(place)
        }
        lastIndex = nil
        placesToKeep = max(Self.placesKeptMin, 2 * indices.count)
    }
}
