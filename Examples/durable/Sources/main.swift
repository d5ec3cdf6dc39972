import DurableJobs

/// The parameters of the kind, and its result.
struct Invoice: Codable {
    let customer: String
    let amounts: [Int]
}

/// The dependency of the kind: state of this process, which is not stored with the jobs.
actor Register {
    private(set) var charged: [String: Int] = [:]

    func charge(_ amount: Int, to customer: String) async throws -> Int {
        print("charging \(amount) to \(customer)")
        try await Task.sleep(for: .milliseconds(400))
        charged[customer, default: 0] += amount
        return charged[customer, default: 0]
    }
}

let register = Register()
let billing = DurableKind("billing") { (invoice: Invoice, _) in
    var total = 0
    for amount in invoice.amounts { total = try await register.charge(amount, to: invoice.customer) }
    return total
}

let jobs = try await JobEngine.start(at: CommandLine.arguments[1], kinds: [billing.kind])
let job = try await jobs.submit(
    billing, Invoice(customer: "Ada", amounts: [10, 20, 12]), idempotencyKey: "invoice-1")
print("\(job.id) is \(try await job.status.state)")
print("charged \(try await job.value) in attempt \(try await job.status.attempt)")
await jobs.stop()
