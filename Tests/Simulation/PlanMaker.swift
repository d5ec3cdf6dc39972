/// Makes jobs of all shapes.
struct PlanMaker {
    private static let depthMax = 2
    private static let exclusiveKeys = ["red", "blue"]

    private var dice: Dice
    private let job: Int
    /// The maximum share of exclusive operations, in percent.
    private let exclusivePercent: Int
    private var names = 0

    init(dice: Dice, job: Int) {
        self.dice = dice
        self.job = job
        exclusivePercent = self.dice.pick([0, 0, 15, 40])
    }

    /// One job.
    mutating func root() -> OperationPlan { operation(depth: 0, isExclusive: false) }

    private mutating func operation(depth: Int, isExclusive: Bool) -> OperationPlan {
        names += 1
        let name = depth == 0 ? "j\(job)" : "o\(names)"
        let cast = dice.below(100)
        let isGroup = depth < PlanMaker.depthMax && cast < (depth == 0 ? 55 : 20)
        let takesKey = !isExclusive && dice.hits(exclusivePercent)
        let plan =
            isGroup ? group(name, depth, isExclusive: isExclusive || takesKey) : single(name)
        if takesKey { plan.exclusiveKey = dice.pick(PlanMaker.exclusiveKeys) }
        if dice.hits(6) {
            plan.hasClock = true
            plan.extra.append("\"finish_by\":\"\(OperationPlan.text(dice.among(200...20_000)))\"")
        }
        return plan
    }

    private mutating func group(_ name: String, _ depth: Int, isExclusive: Bool) -> OperationPlan {
        let isOrdered = dice.hits(35)
        let plan = OperationPlan(name: name, kind: .group(isOrdered: isOrdered, failsFast: dice.hits(15)))
        for _ in 0..<dice.among(1...4) {
            let member = operation(depth: depth + 1, isExclusive: isExclusive)
            if !isOrdered, !plan.members.isEmpty, dice.hits(35) {
                member.after = [plan.members[dice.below(plan.members.count)].name]
            }
            plan.members.append(member)
        }
        if dice.hits(15) { plan.extra.append("\"concurrency\":\(dice.among(1...2))") }
        if dice.hits(25) {
            for _ in 0..<dice.among(1...2) {
                names += 1
                plan.finals.append(single("f\(names)"))
            }
        }
        return plan
    }

    private mutating func single(_ name: String) -> OperationPlan {
        switch dice.below(100) {
        case 0..<15: return OperationPlan(name: name, kind: .value(dice.below(1_000_000)))
        case 15..<30: return OperationPlan(name: name, kind: .delay(milliseconds: delay()))
        case 30..<80: return call(name)
        case 80..<92: return poll(name)
        default:
            let onTimeout = dice.hits(50) ? dice.among(300...10_000) : nil
            let plan = OperationPlan(name: name, kind: .signal("go", onTimeout: onTimeout))
            if let onTimeout { plan.clocks.append("\"total\":\"\(OperationPlan.text(onTimeout))\"") }
            return plan
        }
    }

    private mutating func delay() -> Int { dice.pick([1, 100, 249, 250, 251, 600, 3_000, 9_000, 40_000]) }

    private mutating func url(_ name: String) -> String {
        "https://h\(dice.below(3)).example/\(job)/\(name)"
    }

    private mutating func call(_ name: String) -> OperationPlan {
        let method = dice.pick(["GET", "GET", "PUT", "DELETE", "POST", "POST", "POST"])
        let call = OperationPlan.CallPlan(
            method: method, url: url(name), attemptsMax: dice.among(1...4), behaviours: behaviours(),
            hasKey: method == "POST" && dice.hits(20), repeatsUnsafe: method == "POST" && dice.hits(15))
        let plan = OperationPlan(name: name, kind: .call(call))
        addRules(to: plan, call)
        return plan
    }

    private mutating func poll(_ name: String) -> OperationPlan {
        var behaviours: [Behaviour] = []
        for _ in 0..<dice.below(4) { behaviours.append(dice.hits(70) ? .notYet : failure()) }
        let call = OperationPlan.CallPlan(
            method: "GET", url: url(name), attemptsMax: dice.among(1...3), behaviours: behaviours,
            hasKey: false,
            repeatsUnsafe: false)
        let plan = OperationPlan(
            name: name, kind: .poll(call, everyMilliseconds: dice.pick([100, 400, 2_000])))
        addRules(to: plan, call)
        return plan
    }

    private mutating func addRules(to plan: OperationPlan, _ call: OperationPlan.CallPlan) {
        let backoff = dice.pick(["PT0S", "PT0.2S", "PT0.4S", "PT3S"])
        let jitter = dice.pick(["none", "full", "equal"])
        let unsafe = call.repeatsUnsafe ? ",\"unsafe\":true" : ""
        plan.extra.append(
            "\"retry\":{\"max_attempts\":\(call.attemptsMax),\"backoff\":\"\(backoff)\","
                + "\"jitter\":\"\(jitter)\"\(unsafe)}")
        plan.clocks = ["\"first_byte\":\"\(OperationPlan.text(dice.pick([900, 2_000, 5_000])))\""]
        if dice.hits(6) {
            plan.hasClock = true
            plan.clocks.append("\"total\":\"\(OperationPlan.text(dice.among(100...9_000)))\"")
        }
    }

    private mutating func behaviours() -> [Behaviour] {
        var list: [Behaviour] = []
        for _ in 0..<dice.pick([0, 0, 0, 1, 1, 2, 3, 5]) { list.append(failure()) }
        return list
    }

    private mutating func failure() -> Behaviour {
        switch dice.below(100) {
        case 0..<25: .status(503, retryAfter: dice.hits(40) ? dice.among(0...4) : nil)
        case 25..<35: .status(429, retryAfter: dice.hits(70) ? dice.among(0...4) : nil)
        case 35..<50: .status(500, retryAfter: nil)
        case 50..<58: .status(404, retryAfter: nil)
        case 58..<78: .refused
        case 78..<92: .reset
        default: .silent
        }
    }
}
