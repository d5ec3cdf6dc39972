import JobKit
import JobStore

extension MemoryLedger {
    /// A bulk action with its ids and results.
    struct Bulk: Sendable {
        var record: BulkRecord
        var ids: [JobID]
        var results: [BulkResult] = []
    }

    mutating func create(_ bulk: BulkRecord, of ids: [JobID]) throws(JobStoreError) -> BulkRecord {
        if bulk.state == .running,
            bulks.values.count(where: { $0.record.state == .running }) >= limits.bulksMax
        {
            throw .bulksFull(limits.bulksMax)
        }
        bulks[bulk.id] = Bulk(record: bulk, ids: ids)
        return bulk
    }

    mutating func advance(_ step: BulkStep) throws(JobStoreError) -> BulkReceipt {
        guard let known = bulks[step.id] else { throw .noBulk(step.id) }
        guard known.record.state == .running, known.record.settled == step.place else {
            throw .bulkMoved(step.id)
        }
        var receipt = BulkReceipt(record: known.record)
        for id in known.ids.dropFirst(step.place).prefix(step.count) {
            guard let job = entries[id]?.job.record else {
                receipt.note(id, error: .notFound(id))
                continue
            }
            apply(step.decide(job), to: id, &receipt)
        }
        receipt.record.count(receipt.results, at: step.at)
        bulks[step.id]?.record = receipt.record
        bulks[step.id]?.results += receipt.results
        return receipt
    }

    private mutating func apply(_ verdict: BulkStep.Verdict, to id: JobID, _ receipt: inout BulkReceipt) {
        switch verdict {
        case .cancel(let request):
            do throws(JobStoreError) { receipt.note(id, .success(try cancel(request)), of: request) } catch {
                receipt.note(id, error: error)
            }
        case .retry(let entry):
            do throws(JobStoreError) {
                _ = try retry(id, journal: entry)
                receipt.note(id, error: nil)
            } catch { receipt.note(id, error: error) }
        case .post(let post):
            do throws(JobStoreError) { receipt.note(id, .success(try self.post(post)), of: post) } catch {
                receipt.note(id, error: error)
            }
        case .erase:
            do throws(JobStoreError) {
                try erase(id)
                receipt.note(id, error: nil)
            } catch { receipt.note(id, error: error) }
        case .submit(let new):
            do throws(JobStoreError) { receipt.note(id, .success(try submit(new))) } catch {
                receipt.note(id, Result<SubmitOutcome, JobStoreError>.failure(error))
            }
        case .skip(let code, let detail): receipt.noteSkipped(id, code: code, detail: detail)
        case .reading(let decide): apply(decide(entries[id]?.spec), to: id, &receipt)
        }
    }

    mutating func stopBulk(_ id: BulkID, by: String, at now: Timestamp) throws(JobStoreError) -> BulkRecord {
        guard var record = bulks[id]?.record else { throw .noBulk(id) }
        if record.stop(by: by, at: now) { bulks[id]?.record = record }
        return record
    }

    mutating func removeBulks(before time: Timestamp, limit: Int) -> Int {
        let old = bulks.filter { $0.value.record.finishedAt.map { $0 < time } ?? false }
        let times = old.mapValues { $0.record.finishedAt ?? .never }
        var removed = 0
        for (id, _) in times.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) where removed < limit {
            let results = min(bulks[id]?.results.count ?? 0, limit - removed)
            bulks[id]?.results.removeFirst(results)
            removed += results
            if removed == limit { break }
            bulks[id] = nil
            removed += 1
        }
        return removed
    }
}
