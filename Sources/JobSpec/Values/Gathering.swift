internal import JobKit
package import StrictJSON

/// The place from which values of several results are gathered.
package struct Gathering: Sendable, Hashable {
    /// The place in each result: `/body`, `/body/items`.
    package var at = JSONPointer.body
    /// The value of a result that has no such place; nil makes that an error.
    package var fallback: JSONValue?

    /// Gathers the whole content of each result.
    package init() {}

    /// The part of a result's content that is needed.
    var bodyUse: OperationResult.BodyUse { .init(of: at) }

    /// The values at the place: the elements of a list, none for null, otherwise the value there.
    /// - Throws: `reference.missing`, `reference.not_json`, or why the content cannot be read; `evaluation.too_long`.
    func values(in document: ResultDocument, _ meter: StepMeter) throws(AOperationError) -> [JSONValue] {
        let isHidden = document.hides(at)
        let found = isHidden ? nil : try at.resolve(in: document.value, meter)
        guard let value = found ?? fallback else {
            if isHidden { throw document.hidden(at) }
            let why = at.absence(in: document.value).map { ": \($0)" } ?? ""
            throw AOperationError(
                .referenceMissing,
                detail: "There is no \(at) to gather\(why). Say \"default\": [] if a result may lack it.")
        }
        switch value {
        case .array(let elements): return elements
        case .null: return []
        default: return [value]
        }
    }

    /// Appends the values in a result to `list`.
    /// - Parameter origin: the one whose result it is, such as `Run 3`.
    /// - Throws: as `values` and `append`; the error begins with the origin.
    func collect(
        from document: ResultDocument, of origin: String, into list: inout GatheredList, _ meter: StepMeter
    ) throws(AOperationError) {
        do throws(AOperationError) { try list.append(values(in: document, meter), meter) } catch {
            guard error.code != .evaluationTooLong else { throw error }
            var error = error
            error.detail = "\(origin): \(error.detail)"
            throw error
        }
    }
}

/// A list of values that becomes a result: the elements as JSON, with commas between them.
struct GatheredList: Sendable {
    private var bytes: [UInt8] = []
    private var budget: ValueBudget

    /// An empty list.
    /// - Parameter name: the operation whose result it becomes.
    init(of name: String) {
        budget = ValueBudget(
            "What \(name) gathers",
            remedy: "Gather less of each result with \"at\", or spread the work over several jobs.")
    }

    /// Appends values.
    /// - Throws: `value.too_large`; `evaluation.too_long`.
    mutating func append(_ values: [JSONValue], _ meter: StepMeter) throws(AOperationError) {
        for value in values {
            try budget.take(value, meter)
            try budget.take(1)
            if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
            bytes += value.encoded()
        }
    }

    /// A list for what comes next, with the room that is left.
    var next: GatheredList {
        var next = self
        next.bytes = []
        return next
    }

    /// Appends what came next: a list that began as `next`.
    mutating func append(_ part: GatheredList) {
        if !bytes.isEmpty, !part.bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
        bytes += part.bytes
        budget = part.budget
    }

    /// The list as a result.
    var result: OperationResult {
        OperationResult(
            status: nil, headers: [], contentType: "application/json",
            body: [UInt8(ascii: "[")] + bytes + [UInt8(ascii: "]")])
    }
}
