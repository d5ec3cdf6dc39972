package import StrictJSON

// DESIGN
// A second reading of specs: what a job means, written from Docs/Spec.md, Docs/States.md and openapi.yaml, and knowing
// nothing of the engine. It covers what is decided by the spec and the answers of the upstream: groups, edges,
// conditions, choices, transforms, repetition, cancellation and `:retry`. Names are unique in a spec, and references
// lead to what stands before, so that no reading depends on the look-up of names.

/// An operation of a spec.
package final class ModelSpec: Sendable {
    package enum Kind: Sendable {
        case value(ModelValue)
        case delay(ticks: Int)
        case call(ModelCall)
        case group(members: [ModelSpec], finals: [ModelSpec], GroupRules)
        /// A group with one member for each element of a list.
        case each(items: ModelValue, ModelSpec, finals: [ModelSpec], GroupRules)
        case choice([ModelBranch])
        case repetition(ModelRepetition, ModelSpec)
        case transform(ModelTransform)
    }

    package let name: String
    package let kind: Kind
    package let after: [(name: String, need: ModelEdge.Need)]
    /// Whether its failure does not count for the group.
    package let continues: Bool
    package let when: ModelPredicate?
    package let conditions: [ModelRequirement]

    package init(
        _ name: String, _ kind: Kind, after: [(name: String, need: ModelEdge.Need)] = [],
        continues: Bool = false,
        when: ModelPredicate? = nil, conditions: [ModelRequirement] = []
    ) {
        self.name = name
        self.kind = kind
        self.after = after
        self.continues = continues
        self.when = when
        self.conditions = conditions
    }

    /// The operations whose names stand in the spec below this one; of a list or a repetition the one that is made
    /// again and again.
    var inner: [ModelSpec] {
        switch kind {
        case .group(let members, let finals, _): members + finals
        case .each(_, let one, let finals, _): [one] + finals
        case .repetition(_, let one): [one]
        case .choice(let branches): branches.map(\.operation)
        default: []
        }
    }
}

/// The rules of a group.
package struct GroupRules: Sendable {
    package enum Success: Sendable {
        case all, any, atLeast(Int), tolerate(count: Int?, percent: Int?)
    }

    package var success = Success.all
    package var isOrdered = false
    package var cancelsRest = false
    package var failsFast = false
    /// No outcome depends on it.
    package var concurrency: Int?

    package init() {}
}

/// A branch of a choice: the first that holds is run.
package struct ModelBranch: Sendable {
    /// Nil for what runs otherwise, which is the last one.
    package var when: ModelPredicate?
    package var operation: ModelSpec

    package init(when: ModelPredicate?, operation: ModelSpec) {
        self.when = when
        self.operation = operation
    }
}

package struct ModelRepetition: Sendable {
    package var times: Int
    package var until: ModelPredicate?
    package var stopsOnFailure = false

    package init(times: Int) { self.times = times }
}

package struct ModelTransform: Sendable {
    package enum Reduction: String, Sendable { case count, sum, first }

    package var input: ModelValue
    /// Elements above this number are kept.
    package var above: Int?
    package var reduction: Reduction?
    package var rescue: JSONValue?

    package init(input: ModelValue) { self.input = input }
}

package struct ModelCall: Sendable {
    /// The statuses that count as success; empty for the default, every 2xx.
    package var statuses: [Int] = []
    /// Whether `/body/ok` must be true.
    package var wantsOK = false
    package var attemptsMax = 1

    package init() {}
}

/// The answers of the upstream: the same status again and again, or after some others.
package struct ModelAnswers: Sendable {
    package var first: [Int]
    package var then: Int
    package var isOK: Bool

    package init(first: [Int] = [], then: Int, isOK: Bool) {
        self.first = first
        self.then = then
        self.isOK = isOK
    }

    /// The answer to a call, counted from 0.
    package func status(ofCall number: Int) -> Int { number < first.count ? first[number] : then }

    /// Whether the answer to a call, counted from 0, has a true `/body/ok`: none of the first.
    package func isOK(ofCall number: Int) -> Bool { number >= first.count && isOK }
}

/// A value with references.
package indirect enum ModelValue: Sendable {
    case json(JSONValue)
    case object([(name: String, value: ModelValue)])
    case get(String, at: [String]?, default: JSONValue?)
    case fact(String, at: [String], default: JSONValue?)
    case item([String])
}

/// A question about values.
package indirect enum ModelPredicate: Sendable {
    package enum Source: Sendable {
        /// The result of the last run of a repetition.
        case own([String])
        case get(String, at: [String])
        case fact(String, at: [String])
        case item([String])
    }

    package enum Test: Sendable {
        case equals(JSONValue), notEquals(JSONValue), exists(Bool), greater(Int), contains(String)
    }

    case test(Source, Test)
    case all([ModelPredicate])
    case any([ModelPredicate])
    case not(ModelPredicate)
}

/// A condition of an operation, and the outcome when it does not hold.
package struct ModelRequirement: Sendable {
    package var condition: ModelCondition
    /// Whether the operation is skipped rather than failed.
    package var skips: Bool

    package init(_ condition: ModelCondition, skips: Bool) {
        self.condition = condition
        self.skips = skips
    }
}

package indirect enum ModelCondition: Sendable {
    case when(ModelPredicate)
    case all([ModelCondition])
    case any([ModelCondition])
    case not(ModelCondition)
}
