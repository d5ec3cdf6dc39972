import StrictJSON

/// Makes values of JSON from events.
struct YAMLComposer {
    private let events: [YAMLEvent]
    private let limits: YAMLDocument.Limits
    private var position = 0
    private var anchors: [ByteKey: Anchored] = [:]
    private var lines = PointerLines()
    /// The bytes of all values so far, with those of aliases.
    private var weight = 0

    /// A value that aliases repeat.
    private struct Anchored {
        let value: JSONValue
        let weight: Int
    }

    /// The bytes that a value takes besides its text.
    private static let frame = 2

    init(_ events: [YAMLEvent], _ limits: YAMLDocument.Limits) {
        self.events = events
        self.limits = limits
    }

    mutating func documents() throws(YAMLFault) -> [YAMLDocument] {
        var found: [YAMLDocument] = []
        while position < events.count {
            guard events[position].kind == .documentStart else {
                position += 1
                continue
            }
            position += 1
            (anchors, lines) = ([:], PointerLines())
            guard position < events.count else { break }
            let isEmpty = events[position].kind == .scalar("", isPlain: true)
            let value = try value(at: "")
            if !isEmpty { found.append(YAMLDocument(value, lines: lines)) }
        }
        return found
    }

    private mutating func next() throws(YAMLFault) -> YAMLEvent {
        guard position < events.count else {
            throw YAMLFault(events.last?.line ?? 1, "The text ends too early.")
        }
        defer { position += 1 }
        return events[position]
    }

    private mutating func value(at pointer: String) throws(YAMLFault) -> JSONValue {
        let event = try next()
        let before = weight
        lines.note(pointer, line: event.line)
        try add(Self.frame, event.line)
        let value: JSONValue
        switch event.kind {
        case .alias(let name): return try repeated(name, event.line)
        case .scalar(let text, let isPlain):
            try add(text.utf8.count, event.line)
            value = isPlain ? try YAMLScalar.value(text, line: event.line) : .string(text)
        case .sequenceStart: value = .array(try elements(at: pointer))
        case .mappingStart: value = .object(try members(at: pointer))
        case .documentStart, .documentEnd, .sequenceEnd, .mappingEnd:
            throw YAMLFault(event.line, "A value is missing.")
        }
        if let name = event.anchor {
            anchors[ByteKey(name)] = Anchored(value: value, weight: weight - before)
        }
        return value
    }

    private mutating func elements(at pointer: String) throws(YAMLFault) -> [JSONValue] {
        var found: [JSONValue] = []
        while position < events.count, events[position].kind != .sequenceEnd {
            found.append(try value(at: "\(pointer)/\(found.count)"))
        }
        position += 1
        return found
    }

    private mutating func members(at pointer: String) throws(YAMLFault) -> JSONObject {
        var found: [JSONObject.Member] = []
        var places: [ByteKey: Int] = [:]
        while position < events.count, events[position].kind != .mappingEnd {
            let event = try next()
            guard case .scalar(let name, let isPlain) = event.kind, event.anchor == nil,
                !name.isEmpty || !isPlain
            else { throw YAMLFault(event.line, "A name must be a text.") }
            if isPlain, name.hasSameBytes(as: "<<") {
                throw YAMLFault(
                    event.line,
                    "Merge keys are no part of YAML 1.2: write the members out, or use an alias as a value.")
            }
            if let line = places.updateValue(event.line, forKey: ByteKey(name)) {
                throw YAMLFault(event.line, "\"\(name)\" is there already, in line \(line).")
            }
            try add(name.utf8.count + Self.frame, event.line)
            let member = pointer + JSONPointer(tokens: [name]).description
            lines.note(member, line: event.line)
            found.append(JSONObject.Member(name: name, value: try value(at: member)))
        }
        position += 1
        return JSONObject(uniqueMembers: found)
    }

    /// The value of an anchor, which is not written yet inside of itself.
    private mutating func repeated(_ name: String, _ line: Int) throws(YAMLFault) -> JSONValue {
        guard let anchored = anchors[ByteKey(name)] else {
            throw YAMLFault(line, "No complete value before *\(name) has the anchor &\(name).")
        }
        try add(anchored.weight, line)
        return anchored.value
    }

    private mutating func add(_ bytes: Int, _ line: Int) throws(YAMLFault) {
        weight += bytes
        guard weight <= limits.bytesMax else {
            throw YAMLFault(line, "With its aliases written out it has more than \(limits.bytesMax) bytes.")
        }
    }
}
