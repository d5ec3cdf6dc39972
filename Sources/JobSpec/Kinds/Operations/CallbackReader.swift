internal import JobKit
internal import StrictJSON

/// Reads the callback of a job.
struct CallbackReader {
    let scope: SpecScope

    init(_ scope: SpecScope) { self.scope = scope }

    private static let members = ["request", "states", "connection", "expect", "retry", "timeouts"]

    func callbacks(_ value: JSONValue, _ reading: inout SpecReading) -> [CallbackSpec] {
        guard case .array(let elements) = value else {
            let one = value.string.map { "[\"\(String(quotable: $0))\"]" }
            reading.wrongType(
                value, "a list of URLs or objects with a request",
                suggestion: one ?? #"["https://example.com/done"]"#)
            return []
        }
        if elements.count > reading.limits.callbacksMax {
            reading.note(
                .tooLarge,
                "There are \(elements.count) callbacks; allowed are \(reading.limits.callbacksMax).")
        }
        // The job's defaults are for its own calls, not for callbacks.
        var inside = scope
        inside.defaults = CallDefaults()
        inside.isCallback = true
        let reader = CallbackReader(inside)
        var callbacks: [CallbackSpec] = []
        for (index, element) in elements.enumerated() where !reading.isCut {
            reading.enter(index)
            if let callback = reader.callback(element, &reading) { callbacks.append(callback) }
            reading.leave()
        }
        return callbacks
    }

    private func callback(_ value: JSONValue, _ reading: inout SpecReading) -> CallbackSpec? {
        if case .string = value {
            guard let url = URLReader(scope).literalURL(value, &reading) else { return nil }
            var call = NetworkSpec(url: url)
            call.method = "POST"
            call.idempotencyKey = .auto
            return CallbackSpec(call: call, members: JSONObject([("request", value)]))
        }
        guard case .object(let object) = value else {
            reading.wrongType(
                value, "a URL or an object with a request", suggestion: #""https://example.com/done""#)
            return nil
        }
        var draft = OperationDraft(type: NetworkSpec.name, name: "callback")
        var ends = CallbackSpec.ends
        var settings = JSONObject()
        reading.members(of: object, "A callback", known: Self.members) { reading, name, value in
            switch name {
            case "states": ends = Self.ends(value, &reading)
            case "timeouts":
                draft.timeouts = TimeoutReader.timeouts(
                    value, of: "A callback", clocks: TimeoutReader.callClocks + ["total"], &reading)
            default: break
            }
            if name != "states" { settings[name] = value }
            return Self.members.contains(name)
        }
        let call = CallReader(scope).read(object, &draft, request: CallReader.postMember, &reading)
        CallReader.checkContent(
            of: object["request"]?.object, call,
            "A callback makes its own content: the event. Leave this out.", "A callback", &reading)
        checkSize(of: object, call, &reading)
        guard var call else { return nil }
        if call.idempotencyKey == nil, !call.hasHeader("idempotency-key") { call.idempotencyKey = .auto }
        var callback = CallbackSpec(call: call, members: settings)
        callback.states = Set(ends)
        return callback
    }

    /// The spec of the callback job must not be too large, whatever the event is. Accepted specs stay valid.
    private func checkSize(of object: JSONObject, _ call: NetworkSpec?, _ reading: inout SpecReading) {
        guard reading.kinds != nil else { return }
        if reading.textBytes > reading.limits.callbackBytesMax {
            let bytes = JSONValue.object(object).encoded().count
            if bytes > reading.limits.callbackBytesMax {
                reading.note(
                    .tooLarge,
                    "The callback has \(bytes) bytes; allowed are \(reading.limits.callbackBytesMax).")
            }
        }
        let headers = object["request"]?.object?["headers"]?.object?.count ?? 0
        if let call, headers >= reading.limits.headersMax, !call.hasHeader("content-type") {
            reading.note(
                at: reading.pointer.appending("request").appending("headers"), .tooLarge,
                "There are \(headers) headers, and Content-Type is added; allowed are "
                    + "\(reading.limits.headersMax).")
        }
    }

    /// The outcomes that cause a callback.
    private static func ends(_ value: JSONValue, _ reading: inout SpecReading) -> [JobState] {
        let words = CallbackSpec.ends.map(\.rawValue)
        var found: [JobState] = []
        reading.elements(of: value) { reading, element in
            if case .string(let text) = element, let state = JobState(rawValue: text), state.isFinal {
                found.append(state)
            } else if let text = reading.string(element, "one of \(words.joined(separator: ", "))") {
                reading.note(
                    .unknownWord,
                    "\"\(String(quotable: text))\" is no end of a job. Ends are: \(words.joined(separator: ", ")).",
                    suggestion: reading.nearest(to: text, in: words), allowed: words)
            }
        }
        if case .array(let elements) = value, elements.isEmpty {
            reading.note(
                .outOfRange,
                "This callback would never be made. Name an end, or leave \"states\" out for all of them.",
                suggestion: #"["failed"]"#)
        }
        return found
    }
}
