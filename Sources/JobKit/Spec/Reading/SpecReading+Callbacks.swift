internal import StrictJSON

/// Who is told when the job is over.
extension SpecReading {
    private static let callbackMembers = ["request", "on", "connection", "expect", "retry", "timeouts"]

    mutating func callbacks(_ value: JSONValue) -> [CallbackSpec] {
        guard case .array(let elements) = value else {
            let one = value.string.map { "[\"\(Self.quotable($0))\"]" }
            wrongType(
                value, "a list of URLs or objects with a request",
                suggestion: one ?? #"["https://example.com/done"]"#)
            return []
        }
        if elements.count > limits.callbacksMax {
            note(.tooLarge, "There are \(elements.count) callbacks; allowed are \(limits.callbacksMax).")
        }
        // What holds for the calls of the job does not hold for those that tell others of it.
        let around = defaults
        defaults = CallDefaults()
        isInCallback = true
        defer { (defaults, isInCallback) = (around, false) }
        var callbacks: [CallbackSpec] = []
        for (index, element) in elements.enumerated() {
            enter(index)
            if let callback = callback(element) { callbacks.append(callback) }
            leave()
        }
        return callbacks
    }

    private mutating func callback(_ value: JSONValue) -> CallbackSpec? {
        if case .string = value {
            guard let url = literalURL(value) else { return nil }
            var call = NetworkSpec(url: url)
            call.method = "POST"
            call.idempotencyKey = .auto
            return CallbackSpec(call: call, members: JSONObject([("request", value)]))
        }
        guard case .object(let object) = value else {
            wrongType(value, "a URL or an object with a request", suggestion: #""https://example.com/done""#)
            return nil
        }
        var draft = OperationDraft(type: "network", name: "callback", isRoot: false)
        var ends = CallbackSpec.ends
        var settings = JSONObject()
        members(of: object, "A callback", known: Self.callbackMembers) { reading, name, value in
            switch name {
            case "on": ends = reading.ends(value)
            case "timeouts":
                draft.timeouts = reading.timeouts(
                    value, of: "A callback", clocks: Self.callClocks + ["total"])
            default: break
            }
            if name != "on" { settings[name] = value }
            return Self.callbackMembers.contains(name)
        }
        let call = call(object, &draft, defaultMethod: "POST")
        checkContent(
            of: object["request"]?.object, call,
            "A callback makes its own content: the event. Leave this out.", "A callback")
        checkSize(of: object, call)
        guard var call else { return nil }
        if call.idempotencyKey == nil, !call.hasHeader("idempotency-key") { call.idempotencyKey = .auto }
        var callback = CallbackSpec(call: call, members: settings)
        callback.on = Set(ends)
        return callback
    }

    /// The spec of the job that makes the call must not be too large, whatever the event is. What was accepted once
    /// stays so.
    private mutating func checkSize(of object: JSONObject, _ call: NetworkSpec?) {
        guard kinds != nil else { return }
        if textBytes > limits.callbackBytesMax {
            let bytes = JSONValue.object(object).encoded().count
            if bytes > limits.callbackBytesMax {
                note(
                    .tooLarge, "The callback has \(bytes) bytes; allowed are \(limits.callbackBytesMax).")
            }
        }
        let headers = object["request"]?.object?["headers"]?.object?.count ?? 0
        if let call, headers >= limits.headersMax, !call.hasHeader("content-type") {
            note(
                at: pointer.appending("request").appending("headers"), .tooLarge,
                "There are \(headers) headers, and Content-Type is added; allowed are "
                    + "\(limits.headersMax).")
        }
    }

    /// The ends that are told.
    private mutating func ends(_ value: JSONValue) -> [JobState] {
        let words = CallbackSpec.ends.map(\.rawValue)
        var found: [JobState] = []
        elements(of: value) { reading, element in
            if case .string(let text) = element, let state = JobState(rawValue: text), state.isFinal {
                found.append(state)
            } else if let text = reading.string(element, "one of \(words.joined(separator: ", "))") {
                reading.note(
                    .unknownWord,
                    "\"\(Self.quotable(text))\" is no end of a job. Ends are: \(words.joined(separator: ", ")).",
                    suggestion: SpellingSuggestion.nearest(to: text, in: words))
            }
        }
        if case .array(let elements) = value, elements.isEmpty {
            note(
                .outOfRange,
                "This callback would never be made. Name an end, or leave \"on\" out for all of them.",
                suggestion: #"["failed"]"#)
        }
        return found
    }
}
