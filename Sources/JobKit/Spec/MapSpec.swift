/// A declarative transform: a value made of another one, step by step. Pure; nothing is called.
public struct MapSpec: Sendable, Hashable {
    /// What it begins with. A list, when any of the steps for elements is there.
    public var input: Binding
    /// Keeps the elements of which this holds (`where`). `at` looks into the element.
    public var filter: Predicate?
    /// Makes something of each element, which is `$item` here.
    public var each: Binding?
    /// Whether elements that are lists are replaced by their elements.
    public var flattens = false
    /// Makes one value of all elements.
    public var reduction: Reduction?
    /// Makes the result of what there is then, which is `$item` here.
    public var result: Binding?
    /// The result when something that it is made of did not succeed; nil ends it as skipped then.
    public var rescue: Binding?

    /// A transform that changes nothing.
    public init(input: Binding) { self.input = input }

    /// Makes one value of a list.
    public enum Reduction: Sendable, Hashable {
        /// How many elements there are.
        case count
        /// The sum of numbers, exact; 0 for none.
        case sum
        /// The least number or text; null for none.
        case min
        /// The greatest number or text; null for none.
        case max
        /// Texts, numbers and truth values as one text.
        case join(separator: String)
        /// The first element; null for none.
        case first
        /// The last element; null for none.
        case last
        /// Objects as one object; of members with the same name the last one counts.
        case merge

        /// The word in the spec.
        public var word: String {
            switch self {
            case .count: "count"
            case .sum: "sum"
            case .min: "min"
            case .max: "max"
            case .join: "join"
            case .first: "first"
            case .last: "last"
            case .merge: "merge"
            }
        }
    }

    /// Whether a step goes through the elements of a list.
    var needsList: Bool { filter != nil || each != nil || flattens || reduction != nil }
}
