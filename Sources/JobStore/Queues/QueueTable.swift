import StrictJSON

/// The queues of a gate, each at a place of its own: a claim changes a queue several times, and finds it by name once.
struct QueueTable: Sendable {
    private var placesByName: [ByteKey: Int] = [:]
    private var names: [String] = []
    private var tenants: [Tenant?] = []
    private var lines: [QueueLine] = []
    /// Places without a queue.
    private var free: [Int] = []

    var isEmpty: Bool { placesByName.isEmpty }

    /// The places that have a queue.
    var places: some Collection<Int> { placesByName.values }

    func place(of name: String) -> Int? { placesByName[ByteKey(name)] }

    func name(of place: Int) -> String { names[place] }

    func tenant(of place: Int) -> Tenant? { tenants[place] }

    subscript(place: Int) -> QueueLine {
        _read { yield lines[place] }
        _modify { yield &lines[place] }
    }

    /// Finds a queue, or adds it without a configuration.
    mutating func add(_ name: String) -> Int {
        if let place = placesByName[ByteKey(name)] { return place }
        let place = free.popLast() ?? lines.count
        if place == lines.count {
            names.append(name)
            tenants.append(Tenant(ofStored: name))
            lines.append(QueueLine(nil))
        } else {
            (names[place], tenants[place], lines[place]) = (name, Tenant(ofStored: name), QueueLine(nil))
        }
        placesByName[ByteKey(name)] = place
        return place
    }

    mutating func remove(_ place: Int) {
        placesByName[ByteKey(names[place])] = nil
        lines[place] = QueueLine(nil)
        free.append(place)
    }
}
