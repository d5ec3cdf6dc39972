internal import Commands

/// The records of comma-separated values (RFC 4180), which may end in CR LF or LF.
struct CSVReader {
    struct Cell: Hashable {
        var bytes: [UInt8] = []
        /// Whether it is between quotation marks.
        var isQuoted = false
    }

    struct Record: Hashable {
        /// The line at which it begins.
        var line: Int
        var cells: [Cell] = []
        /// The first thing that is wrong with it.
        var problem: String?
    }

    /// The mark behind a cell.
    private enum Mark {
        case cell
        case record
    }

    private var input: InputBytes
    private let bytesMax: Int
    private var record = Record(line: 1)
    /// The bytes of the record.
    private var count = 0

    var name: String { input.name }

    /// - Parameter bytesMax: the maximum size of a record.
    init(_ input: InputBytes, bytesMax: Int = InputRow.bytesMax) {
        self.input = input
        self.bytesMax = bytesMax
    }

    /// The next record; nil after the last one. Empty lines are passed over.
    mutating func next() throws(CommandFailure) -> Record? {
        while try input.peek() != nil {
            record = Record(line: input.line)
            count = 0
            while try cell() == .cell {}
            if record.problem != nil || record.cells != [Cell()] { return record }
        }
        return nil
    }

    private mutating func cell() throws(CommandFailure) -> Mark {
        var cell = Cell()
        if try input.peek() == 0x22 {
            _ = try input.next()
            cell.isQuoted = true
            try quoted(&cell)
        }
        let mark = try plain(&cell)
        if count <= bytesMax { record.cells.append(cell) } else { complain(InputRow.tooLarge) }
        return mark
    }

    /// Takes the text up to the closing quotation mark, which is taken.
    private mutating func quoted(_ cell: inout Cell) throws(CommandFailure) {
        let line = input.line
        while let byte = try input.next() {
            if byte == 0x22 {
                guard try input.peek() == 0x22 else { return }
                _ = try input.next()
            }
            keep(byte, in: &cell)
        }
        complain("The quotation mark of line \(line) has no second one that ends the cell.")
    }

    /// Takes the text up to the next mark; behind a quoted cell there is none.
    private mutating func plain(_ cell: inout Cell) throws(CommandFailure) -> Mark {
        while let byte = try input.next() {
            switch byte {
            case 0x2C:
                count += 1
                return .cell
            case 0x0A: return .record
            case 0x0D:
                let follower = try input.peek()
                if follower == nil || follower == 0x0A { continue }
                fallthrough
            default:
                if cell.isQuoted {
                    complain(
                        "Text follows the quotation mark that ends cell \(record.cells.count + 1). Inside a cell, write "
                            + "each quotation mark twice.")
                } else if byte == 0x22 {
                    complain(
                        "Cell \(record.cells.count + 1) has a quotation mark inside. Write it twice, and the cell between "
                            + "quotation marks.")
                }
                keep(byte, in: &cell)
            }
        }
        return .record
    }

    private mutating func keep(_ byte: UInt8, in cell: inout Cell) {
        count += 1
        guard count <= bytesMax else { return complain(InputRow.tooLarge) }
        cell.bytes.append(byte)
    }

    private mutating func complain(_ text: String) {
        if record.problem == nil { record.problem = text }
    }
}
