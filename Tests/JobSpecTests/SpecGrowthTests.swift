import HTTPMessage
import JobKit
import StrictJSON
import TestOperations
import Testing

@testable import JobSpec

/// A kind of spec that can be made large: the text of a spec with `count` parts, and the templates that it may use.
struct LargeSpec: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The parts with which its work is measured first.
    var size = 500
    let text: @Sendable (Int) -> String

    init(_ description: String, size: Int = 500, _ text: @escaping @Sendable (Int) -> String) {
        (testDescription, self.size, self.text) = (description, size, text)
    }

    static func list(_ count: Int, _ part: (Int) -> String) -> String {
        (0..<count).map(part).joined(separator: ",")
    }

    static func group(_ members: String, _ rest: String = "") -> String {
        #"{"type":"group","operations":[\#(members)]\#(rest)}"#
    }

    static func request(_ members: String) -> String {
        #"{"type":"network","request":{\#(members)}}"#
    }

    static let value = #"{"type":"value","value":1"#

    static let template = TemplateDefinition(
        name: "large", version: 1,
        parameters: (0..<200).map {
            TemplateParameter(
                name: "width-\($0)", form: .any, isRequired: false, choices: ValueList([]))
        },
        operation: ["type": "value", "value": 1])

    func read(_ count: Int) -> Result<JobSpec, SpecProblems> {
        JobSpecReader.read(
            Array(text(count).utf8), now: specNow, egress: EgressPolicy(),
            templates: { $0 == "large" ? Self.template : nil })
    }

    func growth() -> Double {
        let texts = [size: Array(text(size).utf8), 2 * size: Array(text(2 * size).utf8)]
        return Growth.ofDoubling(size) { count in
            _ = JobSpecReader.read(
                texts[count] ?? [], now: specNow, egress: EgressPolicy(),
                templates: { $0 == "large" ? Self.template : nil })
        }
    }
}

@Suite(.serialized) struct `The work of reading a spec` {
    static let wrong: [LargeSpec] = [
        LargeSpec("variables of a text that are not given") { count in
            let used = (0..<count).map { "{wanted_\($0)}" }.joined()
            let given = LargeSpec.list(count) { #""wanden_\#($0)":1"# }
            return #"{"type":"value","value":{"$text":"\#(used)","vars":{\#(given)}}}"#
        },
        LargeSpec("variables of a URL that are not given", size: 200) { count in
            let used = (0..<count).map { "{w\($0)}" }.joined()
            let given = LargeSpec.list(count * 10) { #""v\#($0)":1"# }
            return LargeSpec.request(#""url":"https://a.example/\#(used)","vars":{\#(given)}"#)
        },
        LargeSpec("names in after") { count in
            let others = LargeSpec.list(300) { LargeSpec.value + #","name":"wanden-\#($0)"}"# }
            let after = LargeSpec.list(count) { #""wanted_\#($0)""# }
            return LargeSpec.group(others + "," + LargeSpec.value + #","after":[\#(after)]}"#)
        },
        LargeSpec("references to nothing") { count in
            let others = LargeSpec.list(300) { LargeSpec.value + #","name":"wanden-\#($0)"}"# }
            let values = LargeSpec.list(count) { #"{"$get":"wanted_\#($0)"}"# }
            return LargeSpec.group(others + #",{"type":"value","value":[\#(values)]}"#)
        },
        LargeSpec("paths into a group") { count in
            let inner = LargeSpec.list(300) { LargeSpec.value + #","name":"wanden-\#($0)"}"# }
            let values = LargeSpec.list(count) { #"{"$get":"g/wanted_\#($0)"}"# }
            return LargeSpec.group(
                LargeSpec.group(inner, #","name":"g""#) + #",{"type":"value","value":[\#(values)]}"#)
        },
        LargeSpec("members that do not exist") { count in
            #"{"type":"delay","for":"1s",\#(LargeSpec.list(count) { #""tineouts\#($0)":1"# })}"#
        },
        LargeSpec("members of a request") { count in
            LargeSpec.request(#""url":"x",\#(LargeSpec.list(count) { #""headrs\#($0)":1"# })"#)
        },
        LargeSpec("time zones") { count in
            let conditions = LargeSpec.list(count) { #"{"type":"time_window","tz":"Europe/Berlim\#($0)"}"# }
            return LargeSpec.value + #","conditions":[\#(conditions)]}"#
        },
        LargeSpec("types") { count in LargeSpec.group(LargeSpec.list(count) { #"{"type":"valu\#($0)"}"# }) },
        LargeSpec("parameters of a template") { count in
            let given = LargeSpec.list(count) { #""wudth-\#($0)x":1"# }
            return #"{"template":"large","params":{\#(given)}}"#
        },
        LargeSpec("headers") { count in
            LargeSpec.request(#""url":"x","headers":{\#(LargeSpec.list(count) { #""a b\#($0)":"x""# })}"#)
        },
        LargeSpec("labels") { count in
            LargeSpec.value + #","labels":{\#(LargeSpec.list(count) { #""n\#($0)":1"# })}}"#
        },
        LargeSpec("words") { count in
            let on = LargeSpec.list(count) { #""dnz\#($0).*""# }
            return #"{"type":"network","request":"https://a.example/","retry":{"errors":[\#(on)]}}"#
        },
        LargeSpec("cycles", size: 200) { count in
            LargeSpec.group(
                LargeSpec.list(count) { LargeSpec.value + #","name":"n\#($0)","after":["n\#($0 ^ 1)"]}"# })
        },
        LargeSpec("names of one length", size: 20) { count in
            let name = String(repeating: "a", count: 5_000)
            return LargeSpec.group(LargeSpec.list(count) { LargeSpec.value + #","name":"\#(name)\#($0)"}"# })
        },
        LargeSpec("pointers", size: 20) { count in
            let name = String(repeating: "a", count: 5_000)
            let items = LargeSpec.list(100) { #"{"$get":"\#($0)"}"# }
            return
                #"{"type":"value","value":{\#(LargeSpec.list(count) { #""\#(name)\#($0)":[\#(items)]"# })}}"#
        },
        LargeSpec("text in text") { count in
            let literal = "[\(LargeSpec.list(count) { String($0) })]"
            let inner = (0..<20).reduce(literal) { inner, _ in
                #"{"$text":"{a}","vars":{"a":[\#(inner)],"b":{"$job":"i"}}}"#
            }
            return #"{"type":"value","value":\#(inner)}"#
        },
    ]

    @Test(arguments: wrong) func `grows no faster than a wrong spec`(large: LargeSpec) {
        let growth = large.growth()
        #expect(growth < 2.6, "\(growth)")
    }

    @Test(arguments: wrong) func `ends with the hundredth problem or what has room`(large: LargeSpec) {
        guard case .failure(let problems) = large.read(2 * large.size) else {
            Issue.record("It is right.")
            return
        }
        let bytes = problems.list.reduce(0) { $0 + $1.byteCount }
        #expect(problems.list.count <= 100 && bytes <= 256 << 10)
        #expect(problems.isCut || problems.list.count < 100)
    }

    static let right: [LargeSpec] = [
        LargeSpec("variables of a text", size: 1_000) { count in
            let used = (0..<count).map { "{wanted_\($0)}" }.joined()
            let given = LargeSpec.list(count) { #""wanted_\#($0)":1"# }
            return #"{"type":"value","value":{"$text":"\#(used)","vars":{\#(given)}}}"#
        },
        LargeSpec("variables of a URL") { count in
            let used = (0..<count).map { "{w\($0)}" }.joined(separator: "/")
            let given = LargeSpec.list(count) { #""w\#($0)":1"# }
            return LargeSpec.request(#""url":"https://a.example/\#(used)","vars":{\#(given)}"#)
        },
        LargeSpec("names in after", size: 400) { count in
            let others = LargeSpec.list(count) { LargeSpec.value + #","name":"n\#($0)"}"# }
            let after = LargeSpec.list(count) { #""n\#($0)""# }
            return LargeSpec.group(others + "," + LargeSpec.value + #","after":[\#(after)]}"#)
        },
        LargeSpec("references", size: 400) { count in
            let others = LargeSpec.list(count) { LargeSpec.value + #","name":"n\#($0)"}"# }
            let values = LargeSpec.list(count * 4) { #"{"$get":"n\#($0 % count)"}"# }
            return LargeSpec.group(others + #",{"type":"value","value":[\#(values)]}"#)
        },
        LargeSpec("paths", size: 400) { count in
            let inner = LargeSpec.list(count) { LargeSpec.value + #","name":"n\#($0)"}"# }
            let values = LargeSpec.list(count * 4) { #"{"$get":"g/n\#($0 % count)"}"# }
            return LargeSpec.group(
                LargeSpec.group(inner, #","name":"g""#) + #",{"type":"value","value":[\#(values)]}"#)
        },
        LargeSpec("final operations without names", size: 240) { count in
            let others = LargeSpec.list(count) { LargeSpec.value + #","name":"value_\#($0 + 1)"}"# }
            return LargeSpec.group(
                others, #","finally":[\#(LargeSpec.list(count) { _ in LargeSpec.value + "}" })]"#)
        },
        LargeSpec("a chain backwards", size: 400) { count in
            LargeSpec.group(
                LargeSpec.list(count) {
                    LargeSpec.value
                        + #","name":"n\#($0)","after":[\#($0 + 1 < count ? "\"n\($0 + 1)\"" : "")]}"#
                })
        },
        LargeSpec("uses of a template", size: 240) { count in
            LargeSpec.group(LargeSpec.list(count) { _ in #"{"template":"large"}"# })
        },
        LargeSpec("parts of a value", size: 2_000) { count in
            #"{"type":"value","value":[\#(LargeSpec.list(count) { #"{"a":[\#($0)]}"# }),{"$job":"id"}]}"#
        },
    ]

    @Test(arguments: right) func `grows no faster than a valid spec`(large: LargeSpec) {
        guard case .success = large.read(2 * large.size) else {
            Issue.record("\(large.read(2 * large.size))")
            return
        }
        let growth = large.growth()
        #expect(growth < 2.6, "\(growth)")
    }

    @Test func `lists as many problems as have room, and the first in any case`() {
        let name = String(repeating: "a", count: 400_000)
        let unknown = problems(#"{"type":"delay","for":"1s","\#(name)":1,"\#(name)b":1}"#)
        #expect(unknown.count == 1)
        let read = JobSpecReader.read(
            Array(#"{"type":"delay","for":"1s","\#(name)":1,"b":1}"#.utf8), now: specNow)
        guard case .failure(let problems) = read else {
            Issue.record("It is right.")
            return
        }
        #expect(problems.isCut)
    }

    @Test func `reads nothing behind the last problem that is listed`() {
        var reading = SpecReading(limits: .standard, now: specNow)
        for _ in 0..<100 { reading.note(.outOfRange, "") }
        let isCut = reading.isCut
        var isAsked = false
        func names() -> [String] {
            isAsked = true
            return ["name"]
        }
        let nearest = reading.nearest(to: "nane", in: names())
        #expect(!isCut && nearest == nil && !isAsked)
        var count = 0
        reading.elements(of: .array(Array(repeating: 1, count: 10))) { reading, _ in
            count += 1
            reading.note(.outOfRange, "")
        }
        #expect(count == 1)
    }

    @Test func `suggests names until the steps for that are spent, templates inside included`() {
        var limits = SpecLimits()
        limits.suggestionStepsMax = 2_000
        let names = ["tineouts", "naime", "conditons", "finsh_by", "afer", "wen"]
        let members = names.map { #""\#($0)":1"# }.joined(separator: ",")
        let outer =
            #"{"type":"group","operations":[{"template":"inner"},{"type":"value",\#(members)}]}"#
        let inner = TemplateDefinition(
            name: "inner", version: 1, parameters: [],
            operation: .object(JSONObject(names.map { ($0, 1) } + [("type", "value")])))
        let result = JobSpecReader.read(
            Array(outer.utf8), limits: limits, now: specNow, templates: { _ in inner })
        guard case .failure(let problems) = result else {
            Issue.record("It is right.")
            return
        }
        let suggestions = problems.list.filter { $0.code == "spec.unknown_member" }.map(\.suggestion)
        #expect(suggestions.count == names.count)
        #expect(suggestions.contains(nil))
        limits.suggestionStepsMax = 1_000_000
        guard
            case .failure(let all) = JobSpecReader.read(
                Array(outer.utf8), limits: limits, now: specNow, templates: { _ in inner })
        else { return }
        #expect(all.list.filter { $0.code == "spec.unknown_member" }.allSatisfy { $0.suggestion != nil })
    }

    @Test func `lists forty names and the number of the others`() {
        #expect(SpecReading.list(["a", "b"]) == "a, b")
        #expect(SpecReading.list((1...60).map { String($0) }).hasSuffix("39, 40 and 20 more"))
    }
}

@Suite struct `Templates in a spec` {
    private func spec(uses: Int) -> [UInt8] {
        Array(LargeSpec.group(LargeSpec.list(uses) { _ in #"{"template":"large"}"# }).utf8)
    }

    private func template(bytes: Int) -> TemplateDefinition {
        TemplateDefinition(
            name: "large", version: 3, parameters: [],
            operation: ["type": "value", "value": .array(Array(repeating: 1, count: bytes / 2))])
    }

    @Test func `are looked up and read once, however often they are used`() {
        let looks = Record<String>()
        let template = template(bytes: 1_000)
        let result = JobSpecReader.read(spec(uses: 300), now: specNow) {
            looks.append($0)
            return template
        }
        guard case .success(let spec) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(looks.all == ["large"])
        #expect(spec.operation.members.count == 300)
    }

    @Test func `are refused when their uses have too many bytes together, at the use`() {
        let template = template(bytes: 196_000)
        let result = JobSpecReader.read(spec(uses: 490), now: specNow) { _ in template }
        guard case .failure(let problems) = result, let problem = problems.list.first else {
            Issue.record("It is right.")
            return
        }
        #expect(problems.list.count == 1)
        #expect(problem.code == "spec.too_large")
        #expect(problem.pointer.description == "/operations/42/template")
        #expect(problem.detail.contains("large@3") && problem.detail.contains("8388608 bytes"))
    }

    @Test func `that use one another count with all that is inside`() {
        let inner = template(bytes: 196_000)
        let outer = TemplateDefinition(
            name: "outer", version: 1, parameters: [],
            operation: [
                "type": "group",
                "operations": .array(Array(repeating: ["template": "large"], count: 10)),
            ])
        func codes(_ uses: Int) -> [String] {
            let text = LargeSpec.group(
                LargeSpec.list(uses) { _ in #"{"template":"outer"}"# })
            let result = JobSpecReader.read(Array(text.utf8), now: specNow) { $0 == "outer" ? outer : inner }
            if case .failure(let problems) = result { return problems.list.map(\.code) }
            return []
        }
        #expect(codes(4) == [])
        #expect(codes(5) == ["spec.too_large"])
    }

    @Test func `count with their operations at every use`() {
        let template = TemplateDefinition(
            name: "large", version: 1, parameters: [],
            operation: [
                "type": "group",
                "operations": .array(Array(repeating: ["type": "value", "value": 1], count: 98)),
            ])
        // The group, and for each use the wrapper, the group inside and its members.
        guard case .success = JobSpecReader.read(spec(uses: 9), now: specNow, templates: { _ in template })
        else {
            Issue.record("9 uses have 901 operations.")
            return
        }
        let result = JobSpecReader.read(spec(uses: 12), now: specNow) { _ in template }
        guard case .failure(let problems) = result else {
            Issue.record("It is right.")
            return
        }
        #expect(problems.list.map(\.code) == ["spec.too_many_operations"])
        #expect(problems.list.first?.pointer.description == "/operations/9/template")
    }

    @Test func `that were accepted once are read whatever they count`() {
        let body = #"{"operation":{"type":"value","value":[\#(LargeSpec.list(90_000) { _ in "1" })]}}"#
        let stored = LargeSpec.group(
            LargeSpec.list(490) { _ in #"{"template":"large"}"# },
            #","$templates":{"large":{"name":"large","version":1,"template":\#(body)}}"#)
        guard case .success(let spec) = JobSpecReader.readStored(Array(stored.utf8), now: specNow) else {
            Issue.record("It was accepted once.")
            return
        }
        #expect(spec.operation.members.count == 490)
    }

    @Test func `name a few of many choices`() {
        let parameter = TemplateParameter(
            name: "a", form: .any, isRequired: true,
            choices: ValueList((0..<5_000).map { .number(JSONNumber(Int64($0))) }))
        let complaint = parameter.complaint(about: "x") ?? ""
        #expect(complaint.hasPrefix("must be one of 0, 1, 2") && complaint.hasSuffix(" more"))
        #expect(complaint.utf8.count < 1_100)
        #expect(parameter.complaint(about: 4_999) == nil)
    }
}
