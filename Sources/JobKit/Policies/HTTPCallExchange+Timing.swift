public import HTTPMessage
public import StrictJSON

extension HTTPCallExchange {
    /// The milliseconds per phase by name, as in `AOperationError.timing`.
    public var timing: JSONObject {
        JSONObject(
            uniqueMembers: phases.compactMap { name, milliseconds -> JSONObject.Member? in
                guard let milliseconds, let number = JSONNumber(milliseconds) else { return nil }
                return .init(name: name, value: .number(number))
            })
    }

    /// The milliseconds per phase; nil for those that did not happen.
    package var phases: [(String, Double?)] {
        [
            ("line", lineMilliseconds), ("dns", dnsMilliseconds), ("connect", connectMilliseconds),
            ("tls", tlsMilliseconds), ("send", sendMilliseconds), ("wait", waitMilliseconds),
            ("receive", receiveMilliseconds), ("total", totalMilliseconds),
        ]
    }
}
