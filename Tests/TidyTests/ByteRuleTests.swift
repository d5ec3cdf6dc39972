import Testing

@Suite struct `The rule of bytes` {
    private func findings(_ path: String, _ text: String) -> [Int] {
        ByteRules.findings(in: SourceFile(path: path, text: text)).map(\.line)
    }

    @Test(arguments: [
        "    private var uses: [String: KeyUse] = [:]", "    var keys: Set<String> = []",
        "    var open: [[String]: Open] = [:]", "    guard job.uniqueKey == wanted else { return }",
        "    if hold.key != other { return }", "    let isSame = name == uniqueKey",
    ])
    func `refuses String where keys of users are kept`(line: String) {
        #expect(findings("Sources/JobStore/Queues/A.swift", "\n" + line + "\n") == [2])
    }

    @Test(arguments: [
        "    private var uses: [ByteKey: KeyUse] = [:]", "    guard job.uniqueKey == nil else { return }",
        "    // a [String: Int]", "    let names: [String] = []", "    let text = \"[String: Int]\"",
        "    if hold.key.hasSameBytes(as: other) { return }",
    ])
    func `accepts bytes, nil, comments and lists`(line: String) {
        #expect(findings("Sources/JobStore/Queues/A.swift", line) == [])
    }

    @Test(arguments: [
        ("labels.first { $0.key == label }", true), ("if one.prompt != other.prompt {", true),
        ("guard label != nil else {", false), ("secretNames == other.secretNames", false),
        ("if labelCount == 3 {", false), (#"value.split(separator: ",")"#, true),
        (#"path.lastIndex(of: "/")"#, true), (#"if text.hasPrefix("/") {"#, true),
        ("value.utf8.split(separator: comma)", false),
        (#"value.utf8.split(separator: UInt8(ascii: ","))"#, false),
        (#"log("split(separator: ")"#, false), ("// text.hasPrefix is for characters", false),
    ])
    func `refuses characters where texts of users come in`(line: String, isFound: Bool) {
        #expect(findings("Sources/JobServer/Access/A.swift", line) == (isFound ? [1] : []))
    }

    @Test func `leaves tests, other folders and the listed files alone`() {
        let collection = "var a: [String: Int] = [:]"
        #expect(findings("Tests/JobSpecTests/A.swift", collection) == [])
        #expect(findings("Sources/JobServer/Control/A.swift", collection) == [1])
        #expect(findings("Sources/JobRunner/Links/ServerLink.swift", collection) == [])
        #expect(findings("Sources/JobServer/Control/A.swift", #"text.hasPrefix("a")"#) == [])
    }

    @Test func `lists no file twice, and none without a reason to be there`() {
        let collections = ByteCollections.allowed.flatMap(\.files)
        let cuts = ByteCuts.allowed.flatMap(\.files)
        #expect(Set(collections).count == collections.count && Set(cuts).count == cuts.count)
        for path in collections {
            #expect(SourceTree.read(path).map(ByteCollections.has) == true, "\(path)")
        }
        for path in cuts {
            let file = SourceTree.read(path)
            let lines = file.map { zip($0.lines, $0.code).contains { ByteCuts.found(in: $0, $1) != nil } }
            #expect(lines == true, "\(path)")
        }
    }
}
