import StrictJSON
import Testing

@Suite struct `A value that is written and read again` {
    @Test(arguments: [11, 12, 13] as [UInt64])
    func `is the same value`(seed: UInt64) throws {
        var random = RandomValues(seed: seed)
        for _ in 0..<500 {
            let value = random.value()
            #expect(try JSONParser.parse(value.encoded()) == value)
            #expect(try JSONParser.parse(value.encoded(indent: 3)) == value)
        }
    }

    @Test func `has the canonical form of the original in any member order`() throws {
        var random = RandomValues(seed: 14)
        for _ in 0..<200 {
            let value = random.value()
            guard let object = value.object else { continue }
            let turned = JSONValue.object(JSONObject(uniqueMembers: object.members.reversed()))
            #expect(CanonicalJSON.encode(turned) == CanonicalJSON.encode(value))
        }
    }
}
