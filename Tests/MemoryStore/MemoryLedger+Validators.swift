import JobKit
import JobStore

extension MemoryLedger {
    mutating func remember(_ validator: AnswerValidator, for key: String) {
        if validators.updateValue(validator, forKey: key) != nil { validatorOrder.removeAll { $0 == key } }
        validatorOrder.append(key)
        while validatorOrder.count > limits.validatorsMax {
            validators[validatorOrder.removeFirst()] = nil
        }
    }
}
