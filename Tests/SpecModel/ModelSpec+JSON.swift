package import StrictJSON

extension ModelSpec {
    /// The operation as it is submitted.
    package var json: JSONValue {
        var object = JSONObject([("name", .string(name))])
        switch kind {
        case .value(let value):
            object["type"] = "value"
            object["value"] = value.json
        case .delay(let ticks):
            object["type"] = "delay"
            object["for"] = .string("PT\(ticks * ModelRun.secondsOfTick)S")
        case .call(let call):
            object["type"] = "network"
            call.write(into: &object)
        case .group(let members, let finals, let rules):
            rules.write(into: &object)
            object["operations"] = .array(members.map(\.json))
            if !finals.isEmpty { object["finally"] = .array(finals.map(\.json)) }
        case .each(let items, let one, let finals, let rules):
            rules.write(into: &object)
            object["map"] = ["items": items.json, "operation": one.json]
            if !finals.isEmpty { object["finally"] = .array(finals.map(\.json)) }
        case .choice(let branches):
            object["type"] = "choose"
            object["of"] = .array(
                branches.compactMap { branch in
                    branch.when.map { ["when": $0.json, "operation": branch.operation.json] }
                })
            object["else"] = branches.first { $0.when == nil }?.operation.json
        case .repetition(let repetition, let one):
            object["type"] = "repeat"
            object["max_runs"] = JSONValue(integerLiteral: Int64(repetition.times))
            object["until"] = repetition.until?.json
            if repetition.stopsOnFailure { object["stop_when"] = "first_failure" }
            object["operation"] = one.json
        case .transform(let transform): transform.write(into: &object)
        }
        writeCommon(into: &object)
        return .object(object)
    }

    private func writeCommon(into object: inout JSONObject) {
        if !after.isEmpty {
            object["after"] = .array(
                after.map {
                    $0.need == .succeeded
                        ? .string($0.name) : ["operation": .string($0.name), "states": $0.need.states]
                })
        }
        if continues { object["on_failure"] = "continue" }
        if let when { object["when"] = when.json }
        if !conditions.isEmpty { object["conditions"] = .array(conditions.map(\.json)) }
    }
}

extension GroupRules {
    fileprivate func write(into object: inout JSONObject) {
        object["type"] = "group"
        if isOrdered { object["ordered"] = true }
        object["stop_when"] = stop
        if let concurrency { object["concurrency"] = JSONValue(integerLiteral: Int64(concurrency)) }
        switch success {
        case .all: break
        case .any: object["succeed_when"] = "any"
        case .atLeast(let count):
            object["succeed_when"] = ["at_least": JSONValue(integerLiteral: Int64(count))]
        case .tolerate(let count, let percent):
            var rule = JSONObject()
            rule["max_failures"] = count.map { JSONValue(integerLiteral: Int64($0)) }
            rule["max_failed_percent"] = percent.map { JSONValue(integerLiteral: Int64($0)) }
            object["succeed_when"] = .object(rule)
        }
    }

    private var stop: JSONValue? {
        switch (success, cancelsRest, failsFast) {
        case (_, false, false): nil
        case (.all, _, _): "first_failure"
        case (.any, false, true): nil
        case (.atLeast, true, false): "succeeded"
        case (.atLeast, false, true): "failed"
        case (.any, true, _), (.atLeast, true, true), (.tolerate, _, _): "decided"
        }
    }
}

extension ModelEdge.Need {
    fileprivate var states: JSONValue { self == .any ? "any" : [.string(rawValue)] }
}

extension ModelCall {
    fileprivate func write(into object: inout JSONObject) {
        object["request"] = [
            "url": "https://up.example/{p}", "vars": ["p": ["$job": "operation"]],
        ]
        var expect = JSONObject()
        if !statuses.isEmpty {
            expect["status"] = .array(statuses.map { JSONValue(integerLiteral: Int64($0)) })
        }
        if wantsOK { expect["that"] = ["at": "/body/ok", "equals": true] }
        if !expect.isEmpty { object["expect"] = .object(expect) }
        object["retry"] = [
            "max_attempts": JSONValue(integerLiteral: Int64(attemptsMax)), "backoff": "PT0S",
            "jitter": "none",
        ]
    }
}

extension ModelTransform {
    fileprivate func write(into object: inout JSONObject) {
        object["type"] = "transform"
        object["input"] = input.json
        if let above {
            object["where"] = ["at": "", "greater": JSONValue(integerLiteral: Int64(above))]
        }
        if let reduction { object["reduce"] = .string(reduction.rawValue) }
        object["rescue"] = rescue
    }
}

/// A place as a JSON pointer.
private func pointer(_ tokens: [String]) -> JSONValue { .string(tokens.map { "/" + $0 }.joined()) }

extension ModelValue {
    var json: JSONValue {
        switch self {
        case .json(let value): return value
        case .object(let members): return .object(JSONObject(members.map { ($0.name, $0.value.json) }))
        case .get(let path, let at, let instead):
            var object = JSONObject([("$get", .string(path))])
            object["at"] = at.map(pointer)
            object["default"] = instead
            return .object(object)
        case .fact(let fact, let at, let instead):
            var object = JSONObject([("$job", .string(fact))])
            if !at.isEmpty { object["at"] = pointer(at) }
            object["default"] = instead
            return .object(object)
        case .item(let at): return ["$item": pointer(at)]
        }
    }
}

extension ModelPredicate {
    var json: JSONValue {
        switch self {
        case .all(let parts): return ["all": .array(parts.map(\.json))]
        case .any(let parts): return ["any": .array(parts.map(\.json))]
        case .not(let part): return ["not": part.json]
        case .test(let source, let test):
            var object = JSONObject()
            switch source {
            case .own(let at): object["at"] = pointer(at)
            case .get(let path, let at):
                object["$get"] = .string(path)
                object["at"] = pointer(at)
            case .fact(let fact, let at):
                object["$job"] = .string(fact)
                if !at.isEmpty { object["at"] = pointer(at) }
            case .item(let at): object["$item"] = pointer(at)
            }
            switch test {
            case .equals(let value): object["equals"] = value
            case .notEquals(let value): object["not_equals"] = value
            case .exists(let isThere): object["exists"] = .bool(isThere)
            case .greater(let number): object["greater"] = JSONValue(integerLiteral: Int64(number))
            case .contains(let text): object["contains"] = .string(text)
            }
            return .object(object)
        }
    }
}

extension ModelRequirement {
    var json: JSONValue {
        var object = condition.json
        if skips { object["otherwise"] = "skip" }
        return .object(object)
    }
}

extension ModelCondition {
    var json: JSONObject {
        switch self {
        case .when(let predicate): JSONObject([("when", predicate.json)])
        case .all(let parts): JSONObject([("all", .array(parts.map { .object($0.json) }))])
        case .any(let parts): JSONObject([("any", .array(parts.map { .object($0.json) }))])
        case .not(let one): JSONObject([("not", .object(one.json))])
        }
    }
}
