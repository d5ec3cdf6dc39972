internal import Commands

/// The lines of NDJSON. Empty ones are passed over.
struct LineRows: InputRows {
    private var input: InputBytes
    private let form: RowForm
    private let bytesMax: Int

    init(_ input: InputBytes, _ form: RowForm, bytesMax: Int = InputRow.bytesMax) {
        self.input = input
        self.form = form
        self.bytesMax = bytesMax
    }

    mutating func next() throws(CommandFailure) -> InputRow? {
        while try input.peek() != nil {
            let line = input.line
            var text: [UInt8] = []
            var count = 0
            while let byte = try input.next(), byte != 0x0A {
                count += 1
                if count <= bytesMax { text.append(byte) }
            }
            guard count <= bytesMax else {
                return InputRow(line: line, content: .refused(InputRow.tooLarge))
            }
            if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            return InputRow(line: line, content: form.content(text, line: line))
        }
        return nil
    }
}

/// The elements of a JSON array.
struct ArrayRows: InputRows {
    private var input: InputBytes
    private let form: RowForm
    private let bytesMax: Int
    private var place = Place.before

    private enum Place {
        case before
        case inside
        case after
    }

    init(_ input: InputBytes, _ form: RowForm, bytesMax: Int = InputRow.bytesMax) {
        self.input = input
        self.form = form
        self.bytesMax = bytesMax
    }

    mutating func next() throws(CommandFailure) -> InputRow? {
        try input.skipSpace()
        switch place {
        case .before:
            // The bracket is known to be there.
            _ = try input.next()
            place = .inside
            try input.skipSpace()
            if try input.peek() == 0x5D {
                _ = try input.next()
                place = .after
                return try next()
            }
        case .inside: break
        case .after:
            guard try input.peek() == nil else {
                throw failure("There is text after the end of the array.")
            }
            return nil
        }
        return try element()
    }

    /// The next element, up to the comma or bracket behind it, which is taken.
    private mutating func element() throws(CommandFailure) -> InputRow {
        let line = input.line
        var text: [UInt8] = []
        var (count, depth) = (0, 0)
        var (isInString, isEscaped) = (false, false)
        while true {
            guard let byte = try input.next() else {
                throw failure(
                    "The array does not end: a \"]\" is missing. Its last element begins in line \(line).")
            }
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == 0x5C {
                    isEscaped = true
                } else if byte == 0x22 {
                    isInString = false
                }
            } else {
                switch byte {
                case 0x22: isInString = true
                case 0x5B, 0x7B: depth += 1
                case 0x5D where depth == 0:
                    place = .after
                    return row(line, text, count)
                case 0x2C where depth == 0: return row(line, text, count)
                case 0x5D, 0x7D: depth = max(0, depth - 1)
                default: break
                }
            }
            count += 1
            if count <= bytesMax { text.append(byte) }
        }
    }

    private func row(_ line: Int, _ text: [UInt8], _ count: Int) -> InputRow {
        guard count <= bytesMax else {
            return InputRow(line: line, content: .refused(InputRow.tooLarge))
        }
        return InputRow(line: line, content: form.content(text, line: line))
    }

    private func failure(_ text: String) -> CommandFailure {
        CommandFailure(code: .failure, text: "\(input.name):\(input.line): \(text)")
    }
}
