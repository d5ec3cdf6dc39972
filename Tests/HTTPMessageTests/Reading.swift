import HTTPMessage

/// The events of our parser in a notation that an oracle can give as well: `H` a head, `B` a body, `E` the end of a
/// request, `F` a refusal, `N` more input is needed, `closed` nothing more is read after this request.
func reading(of bytes: [UInt8]) -> String {
    var parser = HTTPRequestParser()
    var position = 0
    var parts: [String] = []
    var keepAlive = true
    while true {
        switch parser.next(bytes.span, from: &position) {
        case .needMore:
            return (parts + ["N"]).joined(separator: "|")
        case .failure:
            return (parts + ["F"]).joined(separator: "|")
        case .head(let head):
            keepAlive = head.keepAlive
            let fields = head.fields.indices.map { index in
                hex(head.fields[index].name.lowercased().utf8) + ":" + hex(head.fields.valueBytes(at: index))
            }
            parts.append(
                "H \(hex(head.method.name.utf8)) \(hex(head.target.bytes)) \(head.minorVersion) "
                    + "\(head.expectsContinue ? "x" : "-") \(fields.joined(separator: ","))")
        case .body(let range):
            if let last = parts.last, last.hasPrefix("B ") {
                parts[parts.count - 1] = last + hex(bytes[range])
            } else {
                parts.append("B " + hex(bytes[range]))
            }
        case .end:
            parts.append("E")
            if !keepAlive { return (parts + ["closed"]).joined(separator: "|") }
        }
    }
}
