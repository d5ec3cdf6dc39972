import CCurl
import HTTPMessage

/// The field lines of one request in libcurl's form: a linked list of C strings, in two blocks of memory that are
/// reused for the next request, so that a call costs no allocation here.
@safe final class HeaderBlock {
    private var text: UnsafeMutablePointer<CChar>
    private var textCapacity = 2048
    private var nodes: UnsafeMutablePointer<curl_slist>
    private var nodeCapacity = 16
    private var textCount = 0
    private var nodeCount = 0

    init() {
        unsafe text = .allocate(capacity: textCapacity)
        unsafe nodes = .allocate(capacity: nodeCapacity)
    }

    deinit {
        unsafe text.deallocate()
        unsafe nodes.deallocate()
    }

    /// The list for `CURLOPT_HTTPHEADER`, valid until the next `fill`; nil when there is no line.
    var list: UnsafeMutablePointer<curl_slist>? { nodeCount == 0 ? nil : unsafe nodes }

    /// Replaces the lines by those of `call`, and suppresses the ones that libcurl would add.
    ///
    /// A field with an empty value is sent empty. libcurl would otherwise add `Expect: 100-continue` to long content
    /// and a form's content type to any content.
    func fill(_ call: HTTPCall) {
        reserve(call)
        textCount = 0
        nodeCount = 0
        var hasContentType = false
        for field in call.fields {
            hasContentType = hasContentType || isContentType(field.name)
            beginLine()
            append(field.name)
            append(field.value.utf8.isEmpty ? ";" : ": ")
            append(field.value)
            endLine()
        }
        // Without content these are sent with `Content-Length: 0`, which libcurl treats as content, too.
        guard call.hasContent || ["POST", "PUT", "PATCH"].contains(call.method) else { return link() }
        appendLine("Expect:")
        if !hasContentType { appendLine("Content-Type:") }
        link()
    }

    private func isContentType(_ name: String) -> Bool {
        name.utf8.count == 12 && name.lowercased() == "content-type"
    }

    private func appendLine(_ line: String) {
        beginLine()
        append(line)
        endLine()
    }

    private func beginLine() {
        unsafe nodes[nodeCount].data = text + textCount
        nodeCount += 1
    }

    private func append(_ part: String) {
        var part = part
        part.withUTF8 { bytes in
            guard let base = bytes.baseAddress else { return }
            unsafe (text + textCount).withMemoryRebound(to: UInt8.self, capacity: bytes.count) {
                unsafe $0.update(from: base, count: bytes.count)
            }
            textCount += bytes.count
        }
    }

    private func endLine() {
        unsafe text[textCount] = 0
        textCount += 1
    }

    private func link() {
        for index in 0..<nodeCount {
            unsafe nodes[index].next = index + 1 < nodeCount ? nodes + (index + 1) : nil
        }
    }

    /// Reserves memory for every line: name, separator, value and the final zero, plus the two added lines.
    private func reserve(_ call: HTTPCall) {
        let textNeeded = call.fields.reduce(64) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 }
        if textNeeded > textCapacity {
            unsafe text.deallocate()
            textCapacity = textNeeded
            unsafe text = .allocate(capacity: textCapacity)
        }
        if call.fields.count + 2 > nodeCapacity {
            unsafe nodes.deallocate()
            nodeCapacity = call.fields.count + 2
            unsafe nodes = .allocate(capacity: nodeCapacity)
        }
    }
}
