package import JobKit

/// The names and the queues of jobs.
package typealias JobNames = [JobID: (name: String, queue: String)]

/// Reads of jobs in their current state.
package protocol JobReads: Sendable {
    /// The job, or nil.
    func job(_ id: JobID) throws(JobStoreError) -> JobRecord?

    /// Reads jobs in one round trip, then calls `body` for each place in the list, in order. The first `job` in a call
    /// on its thread that asks for the job at its place has it from there: as it was when all were read.
    func readTogether(_ ids: [JobID], _ body: (_ place: Int) -> Void)

    /// The names of those of up to 10,000 jobs that exist.
    func names(of ids: [JobID]) throws(JobStoreError) -> JobNames

    /// The bytes of the spec as stored, or nil when the job does not exist.
    func spec(_ id: JobID) throws(JobStoreError) -> [UInt8]?

    /// The root operation's result, or nil.
    func result(_ id: JobID) throws(JobStoreError) -> OperationResult?

    /// The number of jobs that a claim would take before this one, counted up to 10,000; nil when it is not claimable.
    func ahead(of id: JobID) throws(JobStoreError) -> Int?

    /// The jobs ahead in the line for the unique key; nil when there are none, or the job has no such key.
    func uniqueLine(before id: JobID) throws(JobStoreError) -> UniqueLine?

    func list(_ query: JobListQuery) throws(JobStoreError) -> JobPage

    /// A part of the ids that the list has, after examining at most 10,000 jobs; `limit` is ignored.
    func ids(_ query: JobListQuery) throws(JobStoreError) -> JobIDPage

    /// Counts the jobs of a list after examining at most `examinedMax`; `limit` is ignored.
    func count(
        _ query: JobListQuery, by keys: [JobCount.Key], examinedMax: Int
    ) throws(JobStoreError) -> JobCount
}

extension JobReads {
    /// One by one, as fits a store without round trips.
    package func readTogether(_ ids: [JobID], _ body: (_ place: Int) -> Void) {
        for place in ids.indices { body(place) }
    }

    /// By a read for each, as fits a store without round trips.
    package func names(of ids: [JobID]) throws(JobStoreError) -> JobNames {
        var names: JobNames = [:]
        for id in ids { names[id] = try job(id).map { ($0.name, $0.queue) } }
        return names
    }

    package func ids(_ query: JobListQuery) throws(JobStoreError) -> JobIDPage {
        var query = query
        query.limit = StoreRange.pageMax
        let page = try list(query)
        return JobIDPage(ids: page.jobs.map { $0.id }, next: page.next)
    }

    package func count(
        _ query: JobListQuery, by keys: [JobCount.Key], examinedMax: Int
    ) throws(JobStoreError) -> JobCount {
        var query = query
        query.limit = StoreRange.pageMax
        var jobs: [JobRecord] = []
        for _ in 0..<max(1, examinedMax / StoreRange.pageMax) {
            let page = try list(query)
            jobs += page.jobs
            guard let next = page.next else { return JobCount(of: jobs, by: keys, isLowerBound: false) }
            (query.after, query.afterFinish) = (next.id, next.finishedAt)
        }
        return JobCount(of: jobs, by: keys, isLowerBound: true)
    }
}

/// A final job. A class, so that passing it on copies one reference.
package final class EndedJob: Sendable {
    package let record: JobRecord

    package init(_ record: JobRecord) { self.record = record }
}

/// The unfinished jobs with the same unique key that are ahead of a job.
package struct UniqueLine: Sendable, Hashable {
    package var key: String
    /// The first of them, which holds the key.
    package var holder: JobID
    /// The number of jobs ahead, including the holder; counted up to 10,000.
    package var ahead: Int

    package init(key: String, holder: JobID, ahead: Int) {
        self.key = key
        self.holder = holder
        self.ahead = ahead
    }
}
