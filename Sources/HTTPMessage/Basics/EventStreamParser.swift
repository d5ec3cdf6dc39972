/// One event of an event stream.
package struct StreamedEvent: Sendable, Hashable {
    /// Its type; empty without one.
    package var type: [UInt8] = []
    /// Its id; nil when the event has none.
    package var id: [UInt8]?
    /// Its data: the lines, with a line feed between two.
    package var data: [UInt8] = []
    /// Whether it has data: an event without any is not dispatched.
    package var hasData = false

    /// An event with nothing in it.
    package init() {}
}

/// Splits `text/event-stream` into events as it arrives (WHATWG HTML §9.2.6).
package struct EventStreamParser: Sendable {
    private var line: [UInt8] = []
    private var event = StreamedEvent()
    private var isEmpty = true
    private var follows = false
    private var isFirst = true
    /// The bytes that the event so far holds.
    package private(set) var pending = 0

    /// A parser at the beginning of a stream.
    package init() {}

    /// Takes bytes and passes each event that ends in them, also those without data.
    package mutating func take(_ bytes: Span<UInt8>, _ found: (StreamedEvent) -> Void) {
        for index in bytes.indices {
            let byte = bytes[index]
            // CR LF is one end of a line.
            if follows, byte == 0x0A {
                follows = false
                continue
            }
            follows = byte == 0x0D
            guard byte == 0x0A || byte == 0x0D else {
                line.append(byte)
                pending += 1
                continue
            }
            if let event = endLine() { found(event) }
        }
    }

    private mutating func endLine() -> StreamedEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirst {
            isFirst = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else {
            defer {
                event = StreamedEvent()
                isEmpty = true
                pending = 0
            }
            return isEmpty ? nil : event
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        var value = colon.map { line[($0 + 1)...] } ?? []
        if value.first == 0x20 { value = value.dropFirst() }
        let name = line[..<(colon ?? line.endIndex)]
        if name.elementsEqual("data".utf8) {
            if event.hasData { event.data.append(0x0A) }
            event.data += value
            event.hasData = true
        } else if name.elementsEqual("event".utf8) {
            event.type = Array(value)
        } else if name.elementsEqual("id".utf8), !value.contains(0) {
            event.id = Array(value)
        } else {
            return nil
        }
        isEmpty = false
        return nil
    }
}
