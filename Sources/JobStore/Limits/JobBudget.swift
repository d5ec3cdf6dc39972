/// The jobs that one piece of work of the store may still take, and their bytes, so that others come between.
package struct JobBudget: Sendable {
    package private(set) var jobs: Int
    package private(set) var bytes: Int

    package init(jobs: Int, bytes: Int) {
        self.jobs = jobs
        self.bytes = bytes
    }

    /// Whether no further job may be taken.
    package var isSpent: Bool { jobs <= 0 || bytes <= 0 }

    /// Takes a job of this size, which may exceed what is left.
    package mutating func take(_ bytes: Int) {
        jobs -= 1
        self.bytes -= min(bytes, self.bytes)
    }

    /// The first of these jobs that it lets be taken, at least one.
    package func first<Job>(of jobs: [Job], bytes: (Job) -> Int) -> [Job] {
        var rest = self
        return Array(
            jobs.prefix { job in
                if rest.isSpent { return false }
                rest.take(bytes(job))
                return true
            })
    }
}
