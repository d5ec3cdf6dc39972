internal import StrictJSON

/// The members of conditions that have others inside.
extension RequiredMember where Value == ConditionSpec {
    /// The single condition inside a condition of the kind `name`.
    static func condition(inside name: String) -> Self {
        RequiredMember(
            "condition", .condition, remedy: "A condition of type \(name) has another one inside.")
    }
}

extension RequiredMember where Value == [ConditionSpec] {
    /// The conditions inside a condition of the kind `name`.
    static func conditions(inside name: String) -> Self {
        let form = SpecForm { reading, value, scope -> [ConditionSpec]? in
            if value.array?.isEmpty == true {
                reading.note(.outOfRange, "A condition of type \(name) has at least one inside.")
            }
            return ConditionKinds.readList(value, scope, &reading)
        }
        return RequiredMember(
            "conditions", form, remedy: "A condition of type \(name) has a list of others inside.")
    }
}
