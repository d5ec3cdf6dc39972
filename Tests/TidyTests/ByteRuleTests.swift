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

    @Test func `leaves other folders and the listed files alone`() {
        #expect(findings("Sources/JobServer/HTTP/A.swift", "var a: [String: Int] = [:]") == [])
        #expect(findings("Sources/JobRunner/ServerLink.swift", "var a: [String: Int] = [:]") == [])
    }

    @Test func `lists no file twice, and none that has no such collection`() {
        let files = ByteRules.allowed.flatMap(\.files)
        #expect(Set(files).count == files.count)
        for path in files {
            let text = SourceTree.read(path)?.text ?? ""
            #expect(["[String: ", "Set<String>", "[[String]: "].contains { text.contains($0) }, "\(path)")
        }
    }
}
