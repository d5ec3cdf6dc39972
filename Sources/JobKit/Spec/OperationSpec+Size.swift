internal import StrictJSON

extension OperationSpec {
    /// How many operations it makes at least, itself included, as far as its lists and numbers are written in the spec.
    /// `Int.max` for more than can be counted.
    var writtenCount: Int {
        switch kind {
        case .repeat(let rule) where rule.until == nil && !rule.stopsOnFailure:
            Self.sum(1, Self.product(rule.times, rule.operation.writtenCount))
        case .group(let group):
            if let each = group.each {
                Self.sum(1, each.writtenCount)
            } else {
                members.reduce(1) { Self.sum($0, $1.writtenCount) }
            }
        default: members.reduce(1) { Self.sum($0, $1.writtenCount) }
        }
    }

    fileprivate static func product(_ one: Int, _ other: Int) -> Int {
        let (product, overflow) = one.multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }

    private static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

extension EachSpec {
    /// How many operations its members are, as far as the list is written in the spec.
    var writtenCount: Int {
        switch items {
        case .literal(.array(let elements)): OperationSpec.product(elements.count, operation.writtenCount)
        case .array(let parts): OperationSpec.product(parts.count, operation.writtenCount)
        default: 0
        }
    }
}
