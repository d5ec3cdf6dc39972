package import StrictJSON

extension ModelSpec {
    /// The operation as it is submitted.
    package var json: JSONValue {
        var object = JSONObject([("name", .string(name))])
        switch kind {
        case .value(let value):
            object["type"] = "value"
            object["value"] = value.json
        case .delay(let ticks, let input):
            object["type"] = "delay"
            object["for"] = .string("PT\(ticks * ModelRun.secondsOfTick)S")
            object["input"] = input?.json
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
        case .gate(let predicate, let one):
            object["type"] = "gate"
            object["when"] = predicate.json
            object["operation"] = one.json
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
            if repetition.stopsOnFailure { object["stop_on_failure"] = true }
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
                    $0.on == .succeeded
                        ? .string($0.name) : ["operation": .string($0.name), "on": .string($0.on.rawValue)]
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
        if cancelsRest { object["cancel_rest"] = true }
        if failsFast { object["fail_fast"] = true }
        if let concurrency { object["concurrency"] = JSONValue(integerLiteral: Int64(concurrency)) }
        switch success {
        case .all: break
        case .any: object["succeed_when"] = "any"
        case .atLeast(let count):
            object["succeed_when"] = ["at_least": JSONValue(integerLiteral: Int64(count))]
        case .tolerate(let count, let percent):
            var rule = JSONObject()
            rule["count"] = count.map { JSONValue(integerLiteral: Int64($0)) }
            rule["percent"] = percent.map { JSONValue(integerLiteral: Int64($0)) }
            object["succeed_when"] = ["tolerate": .object(rule)]
        }
    }
}

extension ModelCall {
    fileprivate func write(into object: inout JSONObject) {
        object["request"] = [
            "url": "https://up.example/{p}", "vars": ["p": ["$job": "path"]],
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
        object["type"] = "map"
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

extension ModelCondition {
    var json: JSONValue {
        switch self {
        case .expression(let predicate, let fails):
            var object = JSONObject([("type", "expression"), ("that", predicate.json)])
            if fails { object["on_unsatisfied"] = "fail" }
            return .object(object)
        case .noFailed(let ignores):
            var object = JSONObject([("type", "no_failed_dependencies")])
            if ignores { object["ignore_cancelled"] = true }
            return .object(object)
        case .noCancelled: return ["type": "no_cancelled_dependencies"]
        case .all(let parts): return ["type": "all", "conditions": .array(parts.map(\.json))]
        case .any(let parts): return ["type": "any", "conditions": .array(parts.map(\.json))]
        case .negated(let one): return ["type": "negated", "condition": one.json]
        case .ignored(let one): return ["type": "ignored", "condition": one.json]
        }
    }
}
