internal import HTTPMessage
internal import StrictJSON

/// The output of curl besides the content: the head of the answer, and the text of `-w`.
struct CurlReport {
    let outcome: CurlOutcome
    /// The last attempt of the job, as the server shows it.
    let attempt: JobFacts
    let url: String
    let method: String
    let file: String?

    private var version: String {
        switch attempt.at("/protocol")?.string {
        case "HTTP/2"?: "2"
        case let text?: text.split(separator: "/").last.map(String.init) ?? "1.1"
        case nil: outcome.status == 0 ? "0" : "1.1"
        }
    }

    /// The head of the answer.
    var head: String {
        guard outcome.status > 0 else { return "" }
        let reason = version == "2" ? "" : HTTPStatus(outcome.status).reason
        let fields = outcome.headers.map { "\($0.name): \($0.value)\r\n" }
        return "HTTP/\(version) \(outcome.status) \(reason)\r\n" + fields.joined() + "\r\n"
    }

    /// The text of `-w` with its variables replaced, and the names that are none.
    func text(_ format: String) -> (text: String, unknown: [String]) {
        var text: [UInt8] = []
        var unknown: [String] = []
        var rest = Array(format.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), let next = rest.first, let escape = Self.escapes[next] {
                rest.removeFirst()
                text.append(escape)
            } else if byte == UInt8(ascii: "%"), let name = Self.takeName(after: "{", &rest) {
                if let value = value(name) { text += value.utf8 } else { unknown.append(name) }
            } else if byte == UInt8(ascii: "%"), let name = Self.takeName(after: "header{", &rest) {
                text += (outcome.header(name) ?? "").utf8
            } else {
                text.append(byte)
                if byte == UInt8(ascii: "%"), rest.first == byte { rest.removeFirst() }
            }
        }
        return (String(decoding: text, as: UTF8.self), unknown)
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    /// The name between an opening and its brace; nil, with nothing taken, when there is none.
    private static func takeName(after opening: String, _ rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.starts(with: opening.utf8), let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
            return nil
        }
        defer { rest = rest[(end + 1)...] }
        return String(decoding: rest[..<end].dropFirst(opening.utf8.count), as: UTF8.self)
    }

    private func value(_ name: String) -> String? {
        switch name {
        case "http_code", "response_code":
            let digits = String(outcome.status)
            return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
        case "content_type": return outcome.header("content-type") ?? ""
        case "size_download": return "\(attempt.number("/bytes_received") ?? 0)"
        case "num_redirects": return "\(attempt.number("/redirects") ?? 0)"
        case "num_connects": return attempt.at("/reused_connection")?.bool == true ? "0" : "1"
        case "redirect_url": return redirect
        case "url_effective":
            return attempt.at("/effective_url")?.string ?? URLReference.withPath(url)
        case "url": return url
        case "method": return method
        case "scheme": return url.lowercased().hasPrefix("https:") ? "HTTPS" : "HTTP"
        case "http_version": return version
        case "remote_ip": return peer.host
        case "remote_port": return peer.port
        case "exitcode": return "\(outcome.code)"
        case "errormsg": return outcome.message
        case "filename_effective": return file ?? ""
        case "ssl_verify_result", "proxy_ssl_verify_result": return "0"
        case "stdout", "stderr": return ""
        default: return time(name)
        }
    }

    /// The address that the call reached.
    private var peer: (host: String, port: String) {
        guard let peer = attempt.at("/peer")?.string, let colon = peer.lastIndex(of: ":") else {
            return ("", "0")
        }
        let host = peer[..<colon].filter { $0 != "[" && $0 != "]" }
        return (host, String(peer[peer.index(after: colon)...]))
    }

    /// The target of a redirect that was not followed.
    private var redirect: String {
        guard (300...399).contains(outcome.status), let target = outcome.header("location") else { return "" }
        guard let base = try? URLParts(url), target.utf8.first == UInt8(ascii: "/") else { return target }
        return base.origin + target
    }

    /// The sum of the phases up to the one that a variable names, in seconds.
    private func time(_ name: String) -> String? {
        let phases: [String]
        switch name {
        case "time_queue": phases = ["line"]
        case "time_namelookup": phases = ["line", "dns"]
        case "time_connect": phases = ["line", "dns", "connect"]
        case "time_appconnect":
            let hasTLS = attempt.at("/timing_ms/tls")?.number != nil
            phases = hasTLS ? ["line", "dns", "connect", "tls"] : []
        case "time_pretransfer": phases = ["line", "dns", "connect", "tls"]
        case "time_starttransfer": phases = ["line", "dns", "connect", "tls", "send", "wait"]
        case "time_total": phases = ["total"]
        case "time_redirect": phases = []
        default: return nil
        }
        let sum = phases.reduce(0.0) { sum, phase in
            let text = attempt.at("/timing_ms/\(phase)")?.number.map { "\($0)" } ?? "0"
            return sum + (Double(text) ?? 0)
        }
        return Self.seconds(ofMilliseconds: sum)
    }

    /// A time as curl prints it. The number is the server's: what is no time is 0.
    static func seconds(ofMilliseconds sum: Double) -> String {
        let microseconds = max(0, Int(exactly: (sum * 1_000).rounded()) ?? 0)
        let fraction = String(1_000_000 + microseconds % 1_000_000).dropFirst()
        return "\(microseconds / 1_000_000).\(fraction)"
    }
}

extension URLReference {
    /// The URL with the path that an empty one stands for, as curl shows it.
    fileprivate static func withPath(_ url: String) -> String {
        guard let begin = url.firstRange(of: "://")?.upperBound, !url[begin...].contains("/") else {
            return url
        }
        return url + "/"
    }
}
