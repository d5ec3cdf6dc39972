import StrictJSON
import Testing

@Suite struct `A JSON value` {
    @Test func `compares strings byte for byte`() {
        #expect(JSONValue.string("\u{e9}") != .string("e\u{301}"))
        #expect(JSONValue.string("\u{e9}") == .string("\u{e9}"))
        #expect(JSONValue.array(["a", 1]) == ["a", 1])
        #expect(JSONValue.bool(true) != 1)
    }

    @Test func `has one hash for equal values`() {
        let one: JSONValue = ["a": [1, "x", .null, true]]
        let two: JSONValue = ["a": [1, "x", .null, true]]
        #expect(Set([one, two]).count == 1)
    }

    @Test func `names its kind as a person would`() {
        let values: [JSONValue] = [.null, true, 1, "x", [], [:]]
        #expect(
            values.map(\.kindName) == ["null", "a boolean", "a number", "a string", "an array", "an object"])
        #expect(values.map(\.isNull) == [true, false, false, false, false, false])
    }

    @Test func `returns its content only as its own type`() {
        let value: JSONValue = ["a": 1]
        #expect(value.object?["a"] == 1)
        #expect(value.array == nil && value.string == nil && value.number == nil && value.bool == nil)
    }
}

@Suite struct `A JSON object` {
    @Test func `keeps the place of a member that changes`() {
        var object = JSONObject([("a", 1), ("b", 2), ("c", 3)])
        object["b"] = 20
        object["d"] = 4
        object["a"] = nil
        #expect(object.members.map(\.name) == ["b", "c", "d"])
        #expect(object["b"] == 20)
        #expect(object["nothing"] == nil)
        #expect(object.count == 3 && !object.isEmpty)
    }

    @Test func `keeps the first place and the last value of a repeated name`() {
        let object = JSONObject([("a", 1), ("b", 2), ("a", 3)])
        #expect(object.members.map(\.name) == ["a", "b"])
        #expect(object["a"] == 3)
    }
}
