import SpecModel
import StrictJSON

/// Makes specs whose outcome the model can tell.
struct MeaningMaker {
    private static let depthMax = 3
    /// The seed from which on specs have choices: those of earlier ones stay as they are.
    static let choicesFrom: UInt64 = 1_000_000

    var dice: Dice
    private var names = 0
    /// The number of further operations.
    private var left: Int
    private let makesChoices: Bool

    /// An operation that a later one may refer to.
    private struct Known {
        var path: String
        var isList: Bool
    }

    /// The place of an operation.
    private struct Place {
        var depth = 0
        /// The operations that it may refer to.
        var known: [Known] = []
        /// The members before it in its group.
        var before: [String] = []
        /// The name of the repetition of which it is a run.
        var repetition: String?
        var hasItem = false
        /// Whether it has neither `when` nor conditions.
        var isPlain = false
        /// Whether it may take time.
        var mayWait = true
    }

    init(seed: UInt64, dice: Dice) {
        self.dice = dice
        makesChoices = seed >= Self.choicesFrom
        left = self.dice.among(4...16)
    }

    mutating func root() -> ModelSpec {
        var place = Place()
        place.isPlain = dice.hits(80)
        return dice.hits(92) ? group(at: place) : operation(at: place)
    }

    private mutating func name() -> String {
        names += 1
        left -= 1
        return "o\(names)"
    }

    // MARK: Operations

    private mutating func operation(at place: Place) -> ModelSpec {
        let isDeep = place.depth >= Self.depthMax || left <= 0
        switch dice.below(isDeep ? 60 : 100) {
        case 0..<26: return finish(name(), value(place), place)
        case 26..<40: return finish(name(), .call(call()), place)
        case 40..<48 where place.mayWait:
            return finish(name(), .delay(ticks: dice.among(1...4)), place)
        case 40..<60: return finish(name(), transform(place), place)
        case 60..<70 where makesChoices: return choice(place)
        case 60..<80: return group(at: place)
        case 80..<90: return makesChoices && dice.hits(70) ? choice(place) : group(at: place)
        default: return repetition(place)
        }
    }

    private mutating func finish(_ name: String, _ kind: ModelSpec.Kind, _ place: Place) -> ModelSpec {
        let isPlain = place.isPlain
        var after: [(name: String, need: ModelEdge.Need)] = []
        if !place.before.isEmpty, dice.hits(30) {
            var others = place.before
            for _ in 0..<dice.pick([1, 1, 2]) where !others.isEmpty {
                let other = others.remove(at: dice.below(others.count))
                after.append((other, dice.pick([.succeeded, .any, .failed])))
            }
        }
        let when = !isPlain && dice.hits(15) ? predicate(place) : nil
        var conditions: [ModelRequirement] = []
        if !isPlain, dice.hits(15) {
            for _ in 0..<dice.pick([1, 1, 2]) {
                conditions.append(ModelRequirement(condition(place), skips: dice.hits(60)))
            }
        }
        return ModelSpec(
            name, kind, after: after, continues: place.depth > 0 && dice.hits(15), when: when,
            conditions: conditions)
    }

    private mutating func group(at place: Place) -> ModelSpec {
        let name = name()
        var rules = rules()
        var inside = Place()
        inside.depth = place.depth + 1
        inside.known = place.known
        inside.repetition = place.repetition
        inside.hasItem = place.hasItem
        inside.mayWait = place.mayWait
        if inside.mayWait, dice.hits(12), !rules.cancelsRest, !rules.failsFast {
            rules.concurrency = dice.among(1...2)
            inside.mayWait = false
        }
        if dice.hits(15) { return each(name, rules, inside, place) }
        var members: [ModelSpec] = []
        for _ in 0..<dice.among(1...4) where members.isEmpty || left > 0 {
            let member = operation(at: inside)
            members.append(member)
            inside.before.append(member.name)
            inside.known += known(member)
        }
        if case .atLeast(let least) = rules.success { rules.success = .atLeast(min(least, members.count)) }
        return finish(name, .group(members: members, finals: finals(inside), rules), place)
    }

    private mutating func finals(_ inside: Place) -> [ModelSpec] {
        guard dice.hits(20) else { return [] }
        var place = inside
        place.before = []
        var finals: [ModelSpec] = []
        for _ in 0..<dice.among(1...2) {
            let final = operation(at: place)
            finals.append(final)
            place.before.append(final.name)
            place.known += known(final)
        }
        return finals
    }

    private mutating func each(_ name: String, _ rules: GroupRules, _ inside: Place, _ place: Place)
        -> ModelSpec
    {
        var inner = inside
        inner.hasItem = true
        let lists = place.known.filter(\.isList)
        let items: ModelValue =
            !lists.isEmpty && dice.hits(50)
            ? .get(dice.pick(lists).path, at: nil, default: dice.hits(30) ? [7] : nil)
            : .json(.array((0..<dice.among(0...3)).map { JSONValue(integerLiteral: Int64($0 + 1)) }))
        inner.before = []
        var rules = rules
        if case .atLeast = rules.success { rules.success = .atLeast(1) }
        let one = operation(at: inner)
        var outer = inside
        outer.before = []
        return finish(name, .each(items: items, one, finals: finals(outer), rules), place)
    }

    private mutating func rules() -> GroupRules {
        var rules = GroupRules()
        rules.isOrdered = dice.hits(35)
        switch dice.below(100) {
        case 0..<60: break
        case 60..<72: rules.success = .any
        case 72..<84: rules.success = .atLeast(dice.among(1...3))
        default:
            let count = dice.hits(60) ? dice.among(0...2) : nil
            let percent = count == nil || dice.hits(30) ? dice.pick([0, 25, 33, 50, 100]) : nil
            rules.success = .tolerate(count: count, percent: percent)
        }
        switch rules.success {
        case .any, .atLeast: rules.cancelsRest = dice.hits(50)
        default: break
        }
        rules.failsFast = dice.hits(20)
        // The steps of a choice race with what stops its group: too many ways for the model to find that of the engine.
        if makesChoices { (rules.cancelsRest, rules.failsFast) = (false, false) }
        return rules
    }

    private mutating func choice(_ place: Place) -> ModelSpec {
        let name = name()
        var inside = place
        inside.depth += 1
        inside.before = []
        var branches: [ModelBranch] = []
        for _ in 0..<dice.among(1...3) {
            branches.append(ModelBranch(when: predicate(place), operation: operation(at: inside)))
        }
        if dice.hits(60) { branches.append(ModelBranch(when: nil, operation: operation(at: inside))) }
        return finish(name, .choice(branches), place)
    }

    private mutating func repetition(_ place: Place) -> ModelSpec {
        let name = name()
        var inside = place
        inside.depth += 1
        inside.before = []
        inside.repetition = name
        inside.isPlain = false
        var rule = ModelRepetition(times: dice.among(1...3))
        rule.stopsOnFailure = dice.hits(25)
        if dice.hits(50) { return finish(name, .repetition(rule, operation(at: inside)), place) }
        // A call whose answer decides, or a value that tells which run it is of.
        if dice.hits(30) {
            rule.until = .test(.own(["body", "ok"]), .equals(true))
            return finish(name, .repetition(rule, finish(self.name(), .call(call()), inside)), place)
        }
        rule.until = .test(.own(["body", "p"]), .contains("\(name)/\(dice.among(1...rule.times))"))
        let value: ModelValue = .object([("p", .fact("operation", at: [], default: nil))])
        return finish(name, .repetition(rule, finish(self.name(), .value(value), inside)), place)
    }

    private mutating func call() -> ModelCall {
        var call = ModelCall()
        if dice.hits(25) { call.statuses = dice.pick([[200, 503], [200], [503], [404, 200]]) }
        call.wantsOK = dice.hits(30)
        call.attemptsMax = dice.pick([1, 2, 8])
        return call
    }

    private mutating func transform(_ place: Place) -> ModelSpec.Kind {
        let lists = place.known.filter(\.isList)
        let instead: JSONValue? = dice.hits(15) ? [9] : nil
        let input: ModelValue
        if !lists.isEmpty, dice.hits(70) {
            input = .get(dice.pick(lists).path, at: nil, default: instead)
        } else if let some = place.known.last, dice.hits(60) {
            input = .get(some.path, at: nil, default: instead)
        } else {
            input = .json([3, 1, 2])
        }
        var transform = ModelTransform(input: input)
        if dice.hits(50) { transform.above = dice.among(0...3) }
        if dice.hits(50) { transform.reduction = dice.pick([.count, .sum, .first]) }
        if case .get = input, dice.hits(35) { transform.rescue = "rescued" }
        return .transform(transform)
    }

    // MARK: Values

    private mutating func value(_ place: Place) -> ModelSpec.Kind {
        switch dice.below(100) {
        case 0..<25: return .value(.json(JSONValue(integerLiteral: Int64(dice.below(10)))))
        case 25..<40: return .value(.json([1, 2, 3]))
        case 40..<60: return .value(.fact("labels", at: ["x"], default: nil))
        case 60..<70: return .value(.object([("p", .fact("operation", at: [], default: nil))]))
        case 70..<74: return .value(.fact("operation", at: [], default: nil))
        case 74..<80 where place.hasItem: return .value(.item([]))
        default: return .value(.object([("v", reference(place) ?? .json(0)), ("n", .json(1))]))
        }
    }

    private mutating func reference(_ place: Place) -> ModelValue? {
        guard !place.known.isEmpty else { return nil }
        let path = dice.pick(place.known).path
        let instead: JSONValue? = dice.hits(35) ? "none" : nil
        return dice.hits(35)
            ? .get(path, at: ["state"], default: instead)
            : .get(path, at: dice.hits(70) ? nil : ["body", "n"], default: instead)
    }

    private mutating func predicate(_ place: Place, depth: Int = 0) -> ModelPredicate {
        switch dice.below(depth > 1 ? 70 : 100) {
        case 0..<20:
            return .test(.fact("priority", at: []), dice.pick([.equals(5), .equals(0), .greater(4)]))
        case 20..<30: return .test(.fact("labels", at: ["x"]), dice.pick([.exists(false), .exists(true)]))
        case 30..<35:
            return .test(.fact("labels", at: ["team"]), dice.pick([.equals("red"), .notEquals("red")]))
        case 35..<70:
            if let repetition = place.repetition, dice.hits(60) {
                return .test(.fact("operation", at: []), .contains("\(repetition)/\(dice.among(1...3))"))
            }
            guard !place.known.isEmpty else { return .test(.fact("priority", at: []), .equals(5)) }
            let path = dice.pick(place.known).path
            if dice.hits(70) {
                return .test(
                    .get(path, at: ["state"]), .equals(dice.pick(["succeeded", "failed", "skipped"])))
            }
            return .test(.get(path, at: ["body"]), dice.pick([.exists(true), .equals(1), .greater(3)]))
        case 70..<80: return .all([predicate(place, depth: depth + 1), predicate(place, depth: depth + 1)])
        case 80..<90: return .any([predicate(place, depth: depth + 1), predicate(place, depth: depth + 1)])
        default: return .not(.test(.fact("priority", at: []), dice.pick([.equals(5), .equals(0)])))
        }
    }

    private mutating func condition(_ place: Place, depth: Int = 0) -> ModelCondition {
        switch dice.below(depth > 1 ? 65 : 100) {
        case 0..<65: return .when(predicate(place))
        case 65..<74: return .all([condition(place, depth: depth + 1), condition(place, depth: depth + 1)])
        case 74..<83: return .any([condition(place, depth: depth + 1), condition(place, depth: depth + 1)])
        default: return .not(condition(place, depth: depth + 1))
        }
    }

    /// A member and what is inside of it, for those behind it.
    private func known(_ spec: ModelSpec) -> [Known] {
        var isList = false
        if case .value(.json(let json)) = spec.kind { isList = json.array != nil }
        let own = Known(path: spec.name, isList: isList)
        var inside: [Known] = []
        switch spec.kind {
        case .group(let members, _, _): inside = members.flatMap(known)
        case .choice(let branches): inside = branches.flatMap { known($0.operation) }
        default: break
        }
        return [own] + inside.map { Known(path: "\(spec.name)/\($0.path)", isList: $0.isList) }
    }
}
