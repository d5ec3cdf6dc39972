public import HTTPMessage
public import StrictJSON

extension HTTPCallExchange {
    /// The milliseconds per phase by name, as in `AOperationError.timing`.
    public var timing: JSONObject {
        var writer = JSONObject()
        let phases = [
            ("line", lineMilliseconds), ("dns", dnsMilliseconds), ("connect", connectMilliseconds),
            ("tls", tlsMilliseconds), ("send", sendMilliseconds), ("wait", waitMilliseconds),
            ("receive", receiveMilliseconds), ("total", totalMilliseconds),
        ]
        for (name, milliseconds) in phases {
            if let milliseconds, let number = JSONNumber(milliseconds) { writer[name] = .number(number) }
        }
        return writer
    }
}
