import JobKit
@testable import JobSpec
import StrictJSON
import Testing

@Suite struct `References in a spec` {
    private func members(_ text: String) throws -> [OperationSpec] {
        let group = try #require(readSpec(text).operation.group)
        return group.operations
    }

    @Test func `imply an edge, which is not written twice`() throws {
        let members = try members(
            #"""
            {"type":"group","operations":[
              {"type":"network","name":"login","request":"http://a.example/"},
              {"type":"value","name":"token","value":{"$get":"login","at":"/body/token"}},
              {"type":"value","name":"two","value":[{"$get":"login"},{"$get":"token","at":"/body"}]},
              {"type":"value","name":"written","after":[{"operation":"login","states":"any"}],
               "value":{"x":{"$get":"login","at":"/error/code"}}},
              {"type":"value","name":"fallback","value":{"$get":"login","default":1}}]}
            """#)
        #expect(members[1].after == [.init(operation: "login", isImplied: true)])
        #expect(members[2].after.map(\.operation) == ["login", "token"])
        #expect(members[3].after == [.init(operation: "login", states: .any)])
        #expect(members[4].after == [.init(operation: "login", states: .any, isImplied: true)])
        #expect(
            members[2].kind.work.statedValue
                == .array([
                    .get(.init(operation: "login", at: JSONPointer(tokens: ["body"]))),
                    .get(.init(operation: "token", at: JSONPointer(tokens: ["body"]))),
                ]))
    }

    @Test func `to an outer scope give the edge to the enclosing group`() throws {
        let members = try members(
            #"""
            {"type":"group","operations":[
              {"type":"group","name":"inner","operations":[
                {"type":"group","name":"deep","operations":[
                  {"type":"value","name":"leaf","value":{"$get":"login"}}]}]},
              {"type":"network","name":"login","request":"http://a.example/"}]}
            """#)
        #expect(members[0].after == [.init(operation: "login", isImplied: true)])
        let inner = try #require(members[0].group)
        #expect(inner.operations[0].after.isEmpty)
    }

    @Test func `may go into a group by a path`() throws {
        let members = try members(
            #"""
            {"type":"group","operations":[
              {"type":"group","name":"outer","operations":[{"type":"value","name":"inner","value":1}]},
              {"type":"value","name":"b","value":{"$text":"n = {n}","vars":{"n":{"$get":"outer/inner","at":"/body"}}}}]}
            """#)
        #expect(members[1].after == [.init(operation: "outer", isImplied: true)])
    }

    @Test func `in questions, expectations, vars, headers, query, form and auth count as well`() throws {
        for request in [
            #""when":{"$get":"a","at":"/body","exists":true},"request":"http://a.example/""#,
            #""expect":{"that":{"$get":"a","at":"/body","equals":1}},"request":"http://a.example/""#,
            #""request":{"url":"http://a.example/{x}","vars":{"x":{"$get":"a"}}}"#,
            #""request":{"url":"http://a.example/","headers":{"x":{"$get":"a"}}}"#,
            #""request":{"url":"http://a.example/","query":{"x":{"$get":"a"}}}"#,
            #""request":{"url":"http://a.example/","form":{"x":{"$get":"a"}}}"#,
            #""request":{"url":"http://a.example/","text":{"$get":"a"}}"#,
            #""request":{"url":"http://a.example/","auth":{"type":"bearer","token":{"$get":"a"}}}"#,
        ] {
            let members = try members(
                #"{"type":"group","operations":[{"type":"value","name":"a","value":1},{"type":"network",\#(request)}]}"#
            )
            #expect(members[1].after.map(\.operation) == ["a"], "\(request)")
        }
    }

    @Test(arguments: [
        (#"{"type":"value","name":"a","after":["a"],"value":1}"#, "", "a → a"),
        (
            #"{"type":"value","name":"a","after":["b"],"value":1},{"type":"value","name":"b","after":["c"],"value":1},"#
                + #"{"type":"value","name":"c","value":{"$get":"a"}}"#, "", "a → b → c → a"
        ),
        (
            #"{"type":"value","name":"a","value":{"$get":"b"}},{"type":"value","name":"b","value":1}"#,
            #""ordered":true,"#, "a → b → a"
        ),
    ])
    func `that wait for each other are a cycle, shown with its path`(
        operations: String, ordered: String, path: String
    ) {
        let found = problems(#"{"type":"group",\#(ordered)"operations":[\#(operations)]}"#)
        #expect(found.map(\.code) == ["spec.dependency_cycle"])
        #expect(found.first?.pointer.description == "/operations/0")
        #expect(found.first?.detail.contains(path) == true, "\(found)")
    }

    @Test func `to oneself and to an enclosing operation are cycles, too`() {
        let own = problems(
            #"""
            {"type":"group","operations":[{"type":"network","name":"a","request":"http://a.example/",
              "expect":{"that":{"$get":"a","at":"/body","equals":1}}}]}
            """#)
        #expect(own.map(\.code) == ["spec.dependency_cycle"])
        #expect(own.first?.pointer.description == "/operations/0/expect/that/$get")
        let outer = problems(
            #"""
            {"type":"group","operations":[{"type":"group","name":"g","operations":[
              {"type":"value","name":"v","value":[{"$get":"g"}]}]}]}
            """#)
        #expect(outer.map(\.code) == ["spec.dependency_cycle"])
        #expect(outer.first?.pointer.description == "/operations/0/operations/0/value/0/$get")
        #expect(outer.first?.detail.contains("g → g") == true)
    }

    @Test func `finds two cycles at once`() {
        let found = problems(
            #"""
            {"type":"group","operations":[
              {"type":"value","name":"a","after":["b"],"value":1},{"type":"value","name":"b","after":["a"],"value":1},
              {"type":"value","name":"free","value":1},
              {"type":"value","name":"c","after":["d","free"],"value":1},
              {"type":"value","name":"d","after":["c"],"value":1},
              {"type":"value","name":"e","after":["c"],"value":1}]}
            """#)
        #expect(found.map(\.pointer.description) == ["/operations/0", "/operations/3"])
    }

    @Test func `to unknown operations are problems with the nearest name`() {
        let found = problems(
            #"""
            {"type":"group","operations":[
              {"type":"value","name":"login","value":1},
              {"type":"value","name":"b","after":["logn"],"value":{"$get":"logim"}},
              {"type":"group","name":"g","operations":[
                {"type":"value","name":"leaf","value":{"$get":"lgin"}},
                {"type":"value","name":"other","value":{"$get":"nothing_like_it"}}]},
              {"type":"value","name":"path","value":{"$get":"g/laef"}}]}
            """#)
        #expect(Set(found.map(\.code)) == ["spec.unknown_reference"])
        let byPlace = Dictionary(uniqueKeysWithValues: found.map { ($0.pointer.description, $0.suggestion) })
        #expect(byPlace["/operations/1/after/0"] == "login")
        #expect(byPlace["/operations/1/value/$get"] == "login")
        #expect(byPlace["/operations/2/operations/0/value/$get"] == "login")
        #expect(byPlace["/operations/2/operations/1/value/$get"] == .some(nil))
        #expect(byPlace["/operations/3/value/$get"] == "leaf")
        #expect(found.count == 5)
    }

    @Test func `in a job of one operation have no target`() {
        let found = problems(#"{"type":"value","value":{"$get":"login"}}"#)
        #expect(found.map(\.code) == ["spec.unknown_reference"])
        #expect(found.first?.detail.contains("group") == true)
    }
}
