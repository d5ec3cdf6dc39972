import StrictJSON
import Testing

@Suite(.world) struct `Results that are passed on` {
    @Test func `go from operation to operation, each of which keeps its own`() async throws {
        let ended = try await World.here.run(
            #"""
            {"type": "group", "operations": [
              {"type": "value", "name": "two", "value": 2},
              {"type": "transform", "name": "six", "reduce": "sum", "input": [
                {"$get": "two", "at": "/body"}, {"$get": "two", "at": "/body"}, {"$get": "two", "at": "/body"}]},
              {"type": "value", "name": "text", "value": {"$text": "{n}", "vars": {"n": {"$get": "six", "at": "/body"}}}}]}
            """#)
        #expect(ended.state == "succeeded")
        #expect(ended.at("/result/inline") == ["two": 2, "six": 6, "text": "6"])
        let places = ["two", "six", "text"].map { ended.place(of: "finished", $0) ?? -1 }
        #expect(places == places.sorted())
    }

    @Test func `of a call go into the next one as JSON, header and part of the URL`() async throws {
        let world = try World.here
        let token = world.upstream.script("/token", .json(200, #"{"token": "t 1", "user": {"id": 7}}"#))
        let user = world.upstream.script("/user/7", .json(200, #"{"name": "Ada"}"#))
        let ended = try await world.run(
            #"""
            {"type": "group", "operations": [
              {"type": "network", "name": "token", "request": "\#(token)"},
              {"type": "network", "name": "user", "request": {"method": "PUT", "url": "\#(user.dropLast())\#("{id}")",
                "vars": {"id": {"$get": "token", "at": "/body/user/id"}},
                "headers": {"X-Token": {"$get": "token", "at": "/body/token"}},
                "json": {"got": {"$get": "token", "at": "/status"}}}},
              {"type": "value", "name": "name", "value": {"$get": "user", "at": "/body/name"}}]}
            """#)
        #expect(ended.state == "succeeded")
        #expect(ended.at("/result/inline/name") == "Ada")
        let sent = try #require(world.upstream.calls(of: "/user/7").first).text
        #expect(sent.lowercased().contains("x-token: t 1\r\n"))
        #expect(sent.hasSuffix(#"{"got":200}"#))
    }

    @Test func `that are missing skip the receiver with the cause, or it uses its rescue`()
        async throws
    {
        let world = try World.here
        let url = world.upstream.script("/broken", .status(404))
        let ended = try await world.run(
            #"""
            {"type": "group", "operations": [
              {"type": "network", "name": "a", "request": "\#(url)"},
              {"type": "value", "name": "b", "value": {"$get": "a", "at": "/body"}},
              {"type": "transform", "name": "b2", "input": {"$get": "a", "at": "/body"}, "rescue": "saved"},
              {"type": "value", "name": "c", "value": {"$get": "b2", "at": "/body"}},
              {"type": "value", "name": "d", "value": {"$get": "a", "at": "/error/code"},
               "after": [{"operation": "a", "states": ["failed"]}]}]}
            """#)
        #expect(ended.state == "failed")
        #expect(ended.codes == ["http.status"])
        #expect(ended.state(of: "b") == "skipped")
        #expect(ended.codes(of: "b") == ["dependency.failed"])
        #expect(ended.operations["b"]?.at("/error/causes/0/code") == "http.status")
        #expect(ended.operations["b"]?.at("/error/causes/0/operation") == ended.at("/error/operation"))
        #expect(["b2", "c", "d"].map(ended.state(of:)) == ["succeeded", "succeeded", "succeeded"])
    }

    @Test func `that lack a referenced value fail the receiver before anything is sent`() async throws {
        let world = try World.here
        let url = world.upstream.script(
            "/given", .json(200, #"{"list": [1, "x"], "text": "t", "null": null}"#))
        let unsent = world.upstream.script("/unsent", .status(200))
        let ended = try await world.run(
            #"""
            {"type": "group", "operations": [
              {"type": "network", "name": "a", "request": "\#(url)"},
              {"type": "network", "name": "missing", "request": {"method": "POST", "url": "\#(unsent)",
                "json": {"$get": "a", "at": "/body/nothing"}}},
              {"type": "network", "name": "wrong", "request": {"method": "POST", "url": "\#(unsent)",
                "text": {"$get": "a", "at": "/body/list"}}},
              {"type": "network", "name": "nothing", "request": {"method": "POST", "url": "\#(unsent)",
                "text": {"$get": "a", "at": "/body/null"}}},
              {"type": "transform", "name": "broken", "input": {"$get": "a", "at": "/body/list"}, "reduce": "sum"},
              {"type": "value", "name": "default", "value": {"$get": "a", "at": "/body/nothing", "default": 7}},
              {"type": "value", "name": "null", "value": {"$get": "a", "at": "/body/null"}},
              {"type": "delay", "name": "later", "for": "400ms", "after": ["a"]},
              {"type": "value", "name": "late", "value": {"$get": "a", "at": "/body/text"}, "after": ["later"]}]}
            """#)
        #expect(ended.codes(of: "missing") == ["reference.missing"])
        #expect(ended.operations["missing"]?.text("/error/detail")?.contains("/body/nothing") == true)
        #expect(ended.codes(of: "wrong") == ["reference.type"])
        #expect(ended.operations["wrong"]?.text("/error/detail")?.contains("an array") == true)
        #expect(ended.codes(of: "nothing") == ["reference.type"])
        #expect(ended.codes(of: "broken") == ["transform.failed"])
        #expect(ended.operations["missing"]?.at("/error/stage") == "execution")
        #expect(
            ["default", "null", "late"].map(ended.state(of:)) == ["succeeded", "succeeded", "succeeded"])
        #expect(world.upstream.count(of: "/unsent") == 0)
        #expect(ended.state == "failed")
    }

    @Test func `of several are gathered in order, and one that is missing fails it or is left out`()
        async throws
    {
        let world = try World.here
        let url = world.upstream.script("/none", .status(404))
        func ended(_ rule: String) async throws -> LiveJob.Ended {
            try await world.run(
                #"""
                {"type": "group", "operations": [
                  {"type": "value", "name": "a", "value": 1},
                  {"type": "network", "name": "b", "request": "\#(url)", "on_failure": "continue"},
                  {"type": "value", "name": "c", "value": 3},
                  {"type": "transform", "name": "all", "after": [{"operation": "b", "states": "any"}], "input": [
                    {"$get": "a", "at": "/body"}, {"$get": "b", "at": "/body" \#(rule)},
                    {"$get": "c", "at": "/body"}]}]}
                """#)
        }
        let strict = try await ended("")
        #expect(strict.codes(of: "all") == ["reference.missing"])
        #expect(strict.operations["all"]?.text("/error/detail")?.contains("b") == true)
        let lenient = try await ended(#", "default": null"#)
        #expect(lenient.state == "succeeded")
        #expect(lenient.at("/result/inline/all") == [1, .null, 3])
    }
}
