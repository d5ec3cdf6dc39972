import Commands
import StrictJSON
import Testing

@testable import JobClient

/// An input in pieces of a size.
private func bytes(_ bytes: some Sequence<UInt8>, pieces: Int = 1 << 20) throws -> InputBytes {
    var rest = Array(bytes)[...]
    var input = InputBytes("rows") { () throws(CommandFailure) in
        defer { rest = rest.dropFirst(pieces) }
        return Array(rest.prefix(pieces))
    }
    try input.skipMark()
    return input
}

private func failure<Value>(_ body: () throws(CommandFailure) -> Value) -> CommandFailure? {
    do throws(CommandFailure) {
        _ = try body()
        return nil
    } catch { return error }
}

extension InputRow {
    fileprivate var job: String? {
        if case .job(let spec) = content { String(decoding: spec, as: UTF8.self) } else { nil }
    }

    fileprivate var reason: String? { if case .refused(let reason) = content { reason } else { nil } }
}

extension InputRows {
    fileprivate mutating func all() throws -> [InputRow] {
        var rows: [InputRow] = []
        while let row = try next() { rows.append(row) }
        return rows
    }
}

@Suite struct `Comma-separated values` {
    private func records(
        _ text: String, pieces: Int = 1 << 20, bytesMax: Int = InputRow.bytesMax
    ) throws -> [CSVReader.Record] {
        var reader = CSVReader(try bytes(text.utf8, pieces: pieces), bytesMax: bytesMax)
        var records: [CSVReader.Record] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    private func texts(_ record: CSVReader.Record) -> [String] {
        record.cells.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test(arguments: [
        ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]), ("a,b\n1,2", [["a", "b"], ["1", "2"]]),
        ("\u{FEFF}a\n1\n", [["a"], ["1"]]), ("a,\n,b\n", [["a", ""], ["", "b"]]),
        ("\"a,b\",\"c\"\"d\"\n", [["a,b", "c\"d"]]), ("\"a\nb\r\nc\",d\n", [["a\nb\r\nc", "d"]]),
        ("\"\"\n\"\"", [[""], [""]]), ("a\n\n\r\nb\n", [["a"], ["b"]]), ("", []), ("\n\n", []),
        (" a , b \n", [[" a ", " b "]]), ("a\rb,c\n", [["a\rb", "c"]]), ("ä,\"日本\"\r", [["ä", "日本"]]),
    ])
    func `are read as RFC 4180 says, in pieces of any size`(text: String, cells: [[String]]) throws {
        for pieces in [1, 2, 3, 1 << 20] {
            let found = try records(text, pieces: pieces)
            #expect(found.map(texts) == cells)
            #expect(found.allSatisfy { $0.problem == nil })
        }
    }

    @Test func `have the line at which each begins`() throws {
        let found = try records("a,b\n\"x\ny\",1\n\n3,4\n")
        #expect(found.map(\.line) == [1, 2, 5])
    }

    @Test(arguments: [
        ("a\"b,c", "mark inside"), ("\"a\"b,c", "Text follows"), ("\"a,b", "of line 2 has no second one"),
    ])
    func `name the mark that is wrong, and the next record is read`(record: String, reason: String) throws {
        let found = try records("h\n\(record)\nlast\n")
        #expect(found.count == (record == "\"a,b" ? 2 : 3))
        #expect(found[1].line == 2)
        #expect(found[1].problem?.contains(reason) == true)
    }

    @Test func `refuse a record that is too large, however it is cut, and go on`() throws {
        let large = String(repeating: "x", count: 101)
        let commas = String(repeating: ",", count: 101)
        for text in [large, "\"\(large)\"", commas] {
            let found = try records("h\n\(text)\nlast\n", bytesMax: 100)
            #expect(found.map(\.problem) == [nil, InputRow.tooLarge, nil])
            #expect(found[1].cells.reduce(0) { $0 + $1.bytes.count + 1 } <= 101)
            #expect(texts(found[2]) == ["last"])
        }
    }

    @Test func `are read no further than they are taken`() throws {
        var asked = 0
        let endless = InputBytes("rows") { () throws(CommandFailure) in
            asked += 1
            return Array("1,2\n".utf8)
        }
        var reader = CSVReader(endless)
        for _ in 0..<100 { #expect(try reader.next()?.cells.count == 2) }
        #expect(asked == 100)
    }

    @Test func `in UTF-16 are refused with the remedy`() {
        let text: [UInt8] = [0xFF, 0xFE, 0x61, 0]
        #expect(throws: CommandFailure.self) { try bytes(text) }
    }
}

@Suite struct `Rows with the values of a template` {
    private let parameters = TemplateParameters(
        [
            "parameters": [
                "name": ["type": "string", "required": true], "count": ["type": "integer"],
                "isNew": ["type": "boolean"], "tags": ["type": "array"], "other": ["type": "any"],
            ]
        ])

    private func rows(_ text: String) throws -> [InputRow] {
        var rows = try CSVRows(try bytes(text.utf8), parameters, of: "t")
        return try rows.all()
    }

    private func values(_ row: InputRow?) throws -> String {
        let spec = try JSONParser.parse(text: try #require(row?.job)).object
        #expect(spec?["template"] == "t")
        return spec?["params"].map { String(decoding: $0.encoded(), as: UTF8.self) } ?? ""
    }

    @Test(arguments: [
        ("Ada,1,true,\"[\"\"a\"\"]\",x", #"{"name":"Ada","count":1,"isNew":true,"tags":["a"],"other":"x"}"#),
        ("1,,FALSE,,7", #"{"name":"1","isNew":false,"other":"7"}"#), ("\"\",,,,", #"{"name":""}"#),
        ("a,007,yes,a,", #"{"name":"a","count":"007","isNew":"yes","tags":"a"}"#),
        ("a,true,,{},\"\"", #"{"name":"a","count":"true","tags":{},"other":""}"#),
        ("\"a\nb\",1e3,,,", #"{"name":"a\nb","count":1e3}"#),
    ])
    func `have the type that the template says`(row: String, json: String) throws {
        #expect(try values(try rows("name,count,isNew,tags,other\n\(row)\n").first) == json)
    }

    @Test func `are refused by their line when their cells do not fit, and the others are read`() throws {
        var text = Array("name,count\nAda,1\nBob\nCy,1,2\n".utf8) + [0xC3, 0x28] + Array(",1\nDan,2\n".utf8)
        text += Array("\"E,3".utf8)
        var reader = try CSVRows(try bytes(text), parameters, of: "t")
        let found = try reader.all()
        #expect(found.map(\.line) == [2, 3, 4, 5, 6, 7])
        #expect(found.map { $0.job != nil } == [true, false, false, false, true, false])
        #expect(found[1].reason == "This has 1 cell, and the first line 2.")
        #expect(found[3].reason?.contains("UTF-8") == true)
    }

    @Test(arguments: [
        ("", "is empty"), ("name,colour\n", "no parameter \"colour\". It has name, count"),
        ("name,name\n", "two columns"), ("count\n", "requires \"name\""),
        ("name;count\n", "Separate cells with commas"), ("na\"me\n", "mark inside"),
    ])
    func `need a first line that names parameters`(text: String, reason: String) throws {
        let source = try bytes(text.utf8)
        let found = failure { () throws(CommandFailure) in try CSVRows(source, parameters, of: "t") }
        #expect(found?.text.contains(reason) == true, "\(found?.text ?? "")")
    }

    @Test func `are objects in NDJSON`() throws {
        var rows = LineRows(try bytes("{\"name\": \"Ada\"}\n7\n".utf8), RowForm(template: "t"))
        let found = try rows.all()
        #expect(try values(found[0]) == #"{"name":"Ada"}"#)
        #expect(found[1].reason?.contains("as an object") == true)
    }
}

@Suite struct `Rows of JSON` {
    private let form = RowForm(template: nil)

    @Test func `are the lines of NDJSON, and a malformed one is named`() throws {
        let text = "\u{FEFF}{\"a\": 1}\r\n\n  \n{\"b\"\n{\"c\": \"\\n\"}"
        for pieces in [1, 1 << 20] {
            var rows = LineRows(try bytes(text.utf8, pieces: pieces), form)
            let found = try rows.all()
            #expect(found.map(\.line) == [1, 4, 5])
            #expect(found.map(\.job) == ["{\"a\": 1}\r", nil, #"{"c": "\n"}"#])
            #expect(found[1].reason?.hasPrefix("line 4, column") == true)
        }
    }

    @Test func `are the elements of an array, with the line of each`() throws {
        let text = "[{\"a\": [1, 2],\n \"b\": \"]}\\\"\"},\n7 , {\"c\": tru}\n,[]]\n"
        for pieces in [1, 1 << 20] {
            var rows = ArrayRows(try bytes(text.utf8, pieces: pieces), form)
            let found = try rows.all()
            #expect(found.map(\.line) == [1, 3, 3, 4])
            #expect(found.map { $0.job != nil } == [true, true, false, true])
            #expect(found[2].reason?.hasPrefix("line 3, column") == true)
        }
        var empty = ArrayRows(try bytes("[ ]".utf8), form)
        #expect(try empty.all().isEmpty)
    }

    @Test(arguments: [("[1", "does not end"), ("[1] 2", "after the end"), ("[\"a]", "does not end")])
    func `end with the array`(text: String, reason: String) throws {
        var rows = ArrayRows(try bytes(text.utf8), form)
        let found = failure { () throws(CommandFailure) in while try rows.next() != nil {} }
        #expect(found?.text.contains(reason) == true, "\(found?.text ?? "")")
        #expect(found?.text.hasPrefix("rows:1: ") == true)
    }

    @Test func `that are too large are refused, and the others are read`() throws {
        let large = "\"" + String(repeating: "x", count: 100) + "\""
        var lines = LineRows(try bytes("\(large)\n1\n".utf8), form, bytesMax: 101)
        var elements = ArrayRows(try bytes("[\(large)\n,1]".utf8), form, bytesMax: 101)
        for found in [try lines.all(), try elements.all()] {
            #expect(found.map(\.reason) == [InputRow.tooLarge, nil])
            #expect(found.last?.line == 2)
        }
    }

    @Test(arguments: [
        ("a.csv", RowInput.Format.csv), ("A.CSV", .csv), ("a.ndjson", .ndjson), ("a.jsonl", .ndjson),
        ("a.json", .json), ("-", .json), ("csv", .json),
    ])
    func `are told by the end of the file's name`(path: String, format: RowInput.Format) {
        #expect(RowInput.Format(ofFile: path) == format)
    }
}

@Suite struct `A batch of rows` {
    private func row(_ bytes: Int) -> InputRow {
        InputRow(line: 1, content: .job(Array(repeating: 0x20, count: bytes)))
    }

    @Test func `has a bound of rows and of bytes`() {
        var batch = RowBatch(number: 1)
        for _ in 0..<RowBatch.rowsMax {
            #expect(batch.fits(row(1)))
            batch.add(row(1))
        }
        #expect(!batch.fits(row(1)))
        var large = RowBatch(number: 1)
        large.add(row(RowBatch.bytesMax - 11))
        #expect(large.fits(row(9)))
        #expect(!large.fits(row(10)))
    }

    @Test func `has the specs of its rows as an array, without those that are refused`() {
        var batch = RowBatch(number: 1)
        #expect(batch.body == nil)
        batch.add(InputRow(line: 1, content: .refused("wrong")))
        #expect(batch.body == nil)
        for text in ["{}", "[1]"] { batch.add(InputRow(line: 2, content: .job(Array(text.utf8)))) }
        #expect(batch.body.map { String(decoding: $0, as: UTF8.self) } == "[{},[1]]")
    }

    @Test func `has the same key when its place and its content are the same`() {
        let (first, second) = (RowBatch(number: 1), RowBatch(number: 2))
        let key = first.key(nil, body: [1, 2])
        #expect(key == RowBatch(number: 1).key(nil, body: [1, 2]))
        #expect(key != second.key(nil, body: [1, 2]))
        #expect(key != first.key(nil, body: [1, 3]))
        #expect(key.utf8.count == 36)
        #expect(first.key("mine", body: [1]) == "mine/1")
        #expect(first.key("mine", body: [2]) == "mine/1")
    }
}
