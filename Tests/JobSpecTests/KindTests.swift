@testable import JobSpec
import StrictJSON
import TestOperations
import Testing

@Suite struct `A kind that is declared` {
    /// A value that no member of a condition or of `auth` accepts.
    private let wrong: JSONValue = .array([.array([])])

    private func places(in spec: JSONValue) -> [String] {
        switch JobSpecReader.read(spec, now: specNow) {
        case .success: []
        case .failure(let problems): problems.list.map(\.pointer.description)
        }
    }

    private func object(of kind: any SpecKind.Type) -> JSONValue {
        var object = JSONObject()
        // A condition that combines others, or asks for a value, has a member of its name in place of a type.
        if kind.members.allSatisfy({ $0.name != kind.name }) { object["type"] = .string(kind.name) }
        for member in kind.members { object[member.name] = wrong }
        return .object(object)
    }

    @Test func `reads each member that a condition declares`() {
        for kind in ConditionKinds.all {
            let found = places(in: ["type": "value", "value": 1, "conditions": [object(of: kind)]])
            for member in kind.members {
                let place = "/conditions/0/\(member.name)"
                #expect(found.contains { $0.hasPrefix(place) }, "\(kind.name): \(place)")
            }
        }
    }

    @Test func `reads each member that a kind of auth declares`() {
        for kind in AuthKinds.all {
            let request: JSONValue = ["url": "https://a.example/", "auth": object(of: kind)]
            let found = places(in: ["type": "network", "request": request])
            for member in kind.members {
                let place = "/request/auth/\(member.name)"
                #expect(found.contains { $0.hasPrefix(place) }, "\(kind.name): \(place)")
            }
        }
    }

    @Test func `is in its table once`() {
        #expect(Set(ConditionKinds.all.map { $0.name }).count == ConditionKinds.all.count)
        #expect(Set(AuthKinds.names).count == AuthKinds.all.count)
        #expect(Set(BuiltInKinds.names).count == BuiltInKinds.all.count)
    }
}
