import CYAML

/// libyaml in Swift: the events of a text.
enum YAMLEvents {
    /// The events of all documents. The parser's time for an event grows with the depth, which is limited here.
    /// - Throws: for the first fault of the text, for what exceeds the limits, for tags, and for a directive of another
    ///   version.
    static func read(_ bytes: [UInt8], _ limits: YAMLDocument.Limits) throws(YAMLFault) -> [YAMLEvent] {
        // Safe because the parser stays at its place, and reads the bytes only within the closure.
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { unsafe parser.deallocate() }
        guard unsafe yaml_parser_initialize(parser) == 1 else {
            throw YAMLFault(1, "There is no memory to read it.")
        }
        defer { unsafe yaml_parser_delete(parser) }
        let read = unsafe bytes.withUnsafeBufferPointer { buffer -> Result<[YAMLEvent], YAMLFault> in
            unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
            unsafe yaml_parser_set_input_string(parser, buffer.baseAddress, buffer.count)
            do throws(YAMLFault) { return .success(try unsafe events(of: parser, limits)) } catch {
                return .failure(error)
            }
        }
        return try read.get()
    }

    private static func events(
        of parser: UnsafeMutablePointer<yaml_parser_t>, _ limits: YAMLDocument.Limits
    ) throws(YAMLFault) -> [YAMLEvent] {
        var found: [YAMLEvent] = []
        var depth = 0
        while true {
            var event = unsafe yaml_event_t()
            guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw unsafe fault(of: parser) }
            defer { unsafe yaml_event_delete(&event) }
            if unsafe event.type == YAML_STREAM_END_EVENT { return found }
            guard let event = try unsafe read(event) else { continue }
            switch event.kind {
            case .sequenceStart, .mappingStart: depth += 1
            case .sequenceEnd, .mappingEnd: depth -= 1
            default: break
            }
            guard depth <= limits.depthMax else {
                throw YAMLFault(event.line, "Values are nested more than \(limits.depthMax) deep.")
            }
            guard found.count < limits.valuesMax else {
                throw YAMLFault(event.line, "There are more than \(limits.valuesMax) values up to here.")
            }
            found.append(event)
        }
    }

    private static func read(_ event: yaml_event_t) throws(YAMLFault) -> YAMLEvent? {
        let line = unsafe line(event.start_mark)
        switch unsafe event.type {
        case YAML_DOCUMENT_START_EVENT:
            if let version = unsafe event.data.document_start.version_directive,
                unsafe version.pointee.minor != 2
            {
                throw YAMLFault(line, "Files are read as YAML 1.2: leave out the %YAML directive.")
            }
            return YAMLEvent(kind: .documentStart, line: line)
        case YAML_DOCUMENT_END_EVENT: return YAMLEvent(kind: .documentEnd, line: line)
        case YAML_SEQUENCE_START_EVENT:
            let start = unsafe event.data.sequence_start
            try unsafe refuse(start.tag, line)
            return YAMLEvent(kind: .sequenceStart, anchor: unsafe text(start.anchor), line: line)
        case YAML_SEQUENCE_END_EVENT: return YAMLEvent(kind: .sequenceEnd, line: line)
        case YAML_MAPPING_START_EVENT:
            let start = unsafe event.data.mapping_start
            try unsafe refuse(start.tag, line)
            return YAMLEvent(kind: .mappingStart, anchor: unsafe text(start.anchor), line: line)
        case YAML_MAPPING_END_EVENT: return YAMLEvent(kind: .mappingEnd, line: line)
        case YAML_ALIAS_EVENT:
            return YAMLEvent(kind: .alias(unsafe text(event.data.alias.anchor) ?? ""), line: line)
        case YAML_SCALAR_EVENT:
            let scalar = unsafe event.data.scalar
            try unsafe refuse(scalar.tag, line)
            let content = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            let text = unsafe String(decoding: content, as: UTF8.self)
            let isPlain = unsafe scalar.style == YAML_PLAIN_SCALAR_STYLE
            return YAMLEvent(
                kind: .scalar(text, isPlain: isPlain), anchor: unsafe Self.text(scalar.anchor), line: line)
        default: return nil
        }
    }

    private static func refuse(_ tag: UnsafeMutablePointer<yaml_char_t>?, _ line: Int) throws(YAMLFault) {
        if let tag = unsafe text(tag) { throw YAMLFault(line, "JSON has no tags: leave out \(shown(tag)).") }
    }

    /// A tag as it is written: `tag:yaml.org,2002:int` is `!!int`.
    private static func shown(_ tag: String) -> String {
        let prefix = "tag:yaml.org,2002:"
        guard tag.utf8.starts(with: prefix.utf8) else { return tag }
        return "!!" + String(tag.dropFirst(prefix.count))
    }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        guard let pointer = unsafe pointer else { return nil }
        return unsafe String(cString: pointer)
    }

    private static func line(_ mark: yaml_mark_t) -> Int { Int(clamping: mark.line) + 1 }

    private static func fault(of parser: UnsafeMutablePointer<yaml_parser_t>) -> YAMLFault {
        let error = unsafe parser.pointee
        let problem = unsafe error.problem.map { unsafe String(cString: $0) } ?? "it cannot be read"
        let context = unsafe error.context.map { unsafe String(cString: $0) + ": " } ?? ""
        if unsafe error.error == YAML_READER_ERROR {
            return YAMLFault(
                unsafe line(error.mark),
                "\(problem), at byte \(unsafe error.problem_offset). Save it as UTF-8.")
        }
        return YAMLFault(unsafe line(error.problem_mark), context + problem)
    }
}
