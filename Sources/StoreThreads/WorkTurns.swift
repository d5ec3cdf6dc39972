internal import JobKit

/// Waiting work. Tenants take turns, and within each its jobs; the work of one job keeps its order.
struct WorkTurns {
    typealias Work = @Sendable () -> Void

    /// The waiting work of one tenant.
    private struct Jobs {
        var work: [String: Queue<Work>] = [:]
        var turns = Queue<String>()
    }

    private var tenants: [String: Jobs] = [:]
    private var turns = Queue<String>()

    mutating func add(_ work: @escaping Work, for owner: LongWorkOwner) {
        if tenants[owner.tenant] == nil { turns.append(owner.tenant) }
        var jobs = tenants.removeValue(forKey: owner.tenant) ?? Jobs()
        if jobs.work[owner.job] == nil { jobs.turns.append(owner.job) }
        jobs.work[owner.job, default: Queue()].append(work)
        tenants[owner.tenant] = jobs
    }

    /// The first work of the owner whose turn it is; nil when none waits.
    mutating func next() -> Work? {
        guard let tenant = turns.popFirst(), var jobs = tenants.removeValue(forKey: tenant),
            let job = jobs.turns.popFirst(), var queue = jobs.work.removeValue(forKey: job)
        else { return nil }
        let work = queue.popFirst()
        if !queue.isEmpty {
            jobs.work[job] = queue
            jobs.turns.append(job)
        }
        if !jobs.turns.isEmpty {
            tenants[tenant] = jobs
            turns.append(tenant)
        }
        return work
    }
}

/// A queue whose front moves, so that taking an element costs the same however many wait.
private struct Queue<Element> {
    private var elements: [Element] = []
    private var first = 0

    var isEmpty: Bool { first == elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first]
        first += 1
        if first > 64, first * 2 > elements.count {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }
}
