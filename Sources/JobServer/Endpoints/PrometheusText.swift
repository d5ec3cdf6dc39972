import Commands
import JobKit
import JobRunner
import JobStore

/// Metrics in Prometheus' text exposition format 0.0.4.
enum PrometheusText {
    /// The maximum number of queues with values of their own: those of which the most jobs wait.
    private static let queuesMax = 100

    static func render(_ server: Door, queues: [QueueStanding], now: Timestamp) -> String {
        var page = Page()
        page.family("jobserver_build_info", "gauge", "The program, always 1.") { page in
            page.sample(
                "version=\"\(Version.text)\",commit=\"\(BuildFacts.commit)\",date=\"\(BuildFacts.date)\"", 1)
        }
        let counts = server.store.counts()
        page.family("jobserver_jobs", "gauge", "Stored jobs by state.") { page in
            for state in JobState.allCases { page.sample("state=\"\(state.rawValue)\"", counts[state] ?? 0) }
        }
        page.family("jobserver_jobs_running_here", "gauge", "Jobs that run in this process.") { page in
            page.sample("", server.engine.runningCount)
        }
        page.family(
            "jobserver_deprecated_requests_total", "counter", "Requests of operations that will go."
        ) { page in
            page.sample("", server.metrics.deprecatedUses.count)
        }
        page.family("jobserver_http_responses_total", "counter", "Answers by class of status.") { page in
            for answer in server.metrics.answers { page.sample("class=\"\(answer.name)\"", answer.count) }
        }
        page.family("jobserver_http_connections", "gauge", "Open connections.") { page in
            page.sample("", server.process.connectionCount)
        }
        page.family("jobserver_http_waiting_requests", "gauge", "Requests that wait for a job to change.") {
            page in
            page.sample("", server.news.watch.waitingCount)
        }
        page.family("jobserver_event_streams", "gauge", "Open event streams.") { page in
            page.sample("", server.news.feed.streamCount)
        }
        loops(server, &page)
        page.family("jobserver_submits_total", "counter", "Submissions that the store answered.") { page in
            page.sample("", server.metrics.submits.read.all)
        }
        page.histogram("jobserver_submit_seconds", "Time from request to durable.", server.metrics.submits)
        page.histogram(
            "jobserver_claim_seconds", "Time that a claim of jobs takes in the store.", server.metrics.claims)
        jobs(server.metrics.jobs, &page)
        waiting(queues, &page, now)
        load(server, &page)
        people(server.metrics, &page)
        schedules(server.metrics.schedules, &page)
        bulk(server.metrics.bulk, &page)
        uploads(server.metrics.uploads, &page)
        hooks(server.metrics.hooks, &page)
        callbacks(server.metrics.callbacks, &page)
        if let traces = server.traces { spans(traces, &page) }
        let process = ProcessFacts.read()
        page.family("process_resident_memory_bytes", "gauge", "Memory in use.") { page in
            page.sample("", process.residentBytes)
        }
        page.family("process_open_fds", "gauge", "Open descriptors.") { page in
            page.sample("", process.descriptors)
        }
        page.family("jobserver_uptime_seconds", "gauge", "Time since the start.") { page in
            page.sample("", seconds(SystemTime.now().since(server.metrics.startedAt)))
        }
        return page.text
    }

    private static func loops(_ server: Door, _ page: inout Page) {
        page.family(
            "jobserver_loop_slice_seconds_max", "gauge",
            "Longest processor time of one turn of a loop since the last scrape."
        ) { page in
            for (loop, slice) in server.process.takeLongestSlices() {
                page.sample("loop=\"\(loop)\"", slice / .seconds(1))
            }
        }
    }

    private static func jobs(_ metrics: JobMetrics, _ page: inout Page) {
        page.family("jobserver_jobs_ended_total", "counter", "Ended jobs, by queue and state.") { page in
            for (queue, states) in metrics.ends {
                for state in JobState.allCases where state.isFinal {
                    page.sample("queue=\"\(queue)\",state=\"\(state.rawValue)\"", states[state] ?? 0)
                }
            }
        }
        page.family("jobserver_attempts_total", "counter", "Attempts of calls and custom kinds, by state.") {
            page in
            for outcome in AttemptRecord.Outcome.allCases {
                page.sample("state=\"\(outcome.rawValue)\"", metrics.attempts(outcome))
            }
        }
        page.histogram(
            "jobserver_job_start_delay_seconds", "Time from when a job could start to its start.",
            metrics.startDelays)
        page.histogram(
            "jobserver_job_run_seconds", "Time from the start of a job to its end, with all waits.",
            metrics.runs)
    }

    private static func waiting(_ queues: [QueueStanding], _ page: inout Page, _ now: Timestamp) {
        let shown = queues.sorted { ($1.waiting, $0.name) < ($0.waiting, $1.name) }.prefix(queuesMax)
        page.family("jobserver_queue_waiting", "gauge", "Runnable jobs that wait, by queue.") { page in
            for queue in shown { page.sample("queue=\"\(queue.name)\"", queue.waiting) }
        }
        page.family("jobserver_queue_running", "gauge", "Running jobs, by queue.") { page in
            for queue in shown { page.sample("queue=\"\(queue.name)\"", queue.running) }
        }
        page.family(
            "jobserver_queue_oldest_seconds", "gauge",
            "How long the oldest runnable job has waited, by queue."
        ) {
            page in
            for queue in shown {
                page.sample(
                    "queue=\"\(queue.name)\"",
                    seconds(queue.oldest.map { max(.zero, now.since($0)) } ?? .zero))
            }
        }
    }

    private static func load(_ server: Door, _ page: inout Page) {
        page.family("jobserver_refused_total", "counter", "New work that was refused, by reason.") { page in
            for (reason, count) in server.limits.admission.refusals {
                page.sample("reason=\"\(reason.name)\"", count)
            }
        }
        if let space = server.store.space { disk(space, &page) }
        let pressure = server.store.pressure
        page.family("jobserver_waiting_writes", "gauge", "Writes that wait for the disk.") { page in
            page.sample("", pressure.waiting)
        }
        page.family("jobserver_waiting_seconds", "gauge", "How long the oldest of them has waited.") { page in
            page.sample("", seconds(pressure.oldest))
        }
        page.family("jobserver_storage_sound", "gauge", "1 when new jobs are stored, else 0.") { page in
            page.sample("", server.store.condition == .sound ? 1 : 0)
        }
    }

    private static func disk(_ space: StoreSpace, _ page: inout Page) {
        page.family("jobserver_disk_free_bytes", "gauge", "Free space of the disk of the data directory.") {
            page in
            page.sample("", space.freeBytes)
        }
        page.family("jobserver_disk_reserve_bytes", "gauge", "Free space that results and new jobs leave.") {
            page in
            page.sample("", space.reserveBytes)
        }
        page.family("jobserver_disk_used_bytes", "gauge", "Space that the data takes, by part.") { page in
            if let bytes = space.databaseBytes { page.sample("part=\"database\"", bytes) }
            if let bytes = space.logBytes { page.sample("part=\"log\"", bytes) }
            page.sample("part=\"content\"", space.contentBytes)
            page.sample("part=\"unfinished\"", space.unfinishedBytes)
        }
    }

    private static func people(_ metrics: Metrics, _ page: inout Page) {
        page.family("jobserver_approvals_decided_total", "counter", "Approvals that people answered.") {
            page in
            let answers = metrics.approvalAnswers
            page.sample("answer=\"approved\"", answers.approved)
            page.sample("answer=\"rejected\"", answers.rejected)
        }
        page.family("jobserver_grants_decided_total", "counter", "Decisions about grants.") { page in
            page.sample("", metrics.grantCount)
        }
    }

    private static func schedules(_ metrics: ScheduleMetrics, _ page: inout Page) {
        page.family("jobserver_schedule_jobs_total", "counter", "Jobs that schedules made.") { page in
            page.sample("", metrics.jobs)
        }
        page.family(
            "jobserver_schedule_skipped_total", "counter",
            "Planned times of schedules without a job, by reason."
        ) { page in
            for reason in Occurrence.Reason.allCases {
                page.sample("reason=\"\(reason.rawValue)\"", metrics.skipped(reason))
            }
        }
    }

    private static func uploads(_ metrics: UploadMetrics, _ page: inout Page) {
        let totals = metrics.totals
        page.family("jobserver_uploads_total", "counter", "Uploads that were stored.") { page in
            page.sample("", totals.uploads)
        }
        page.family("jobserver_upload_bytes_total", "counter", "Bytes of the uploads that were stored.") {
            page in
            page.sample("", totals.bytes)
        }
    }

    private static func hooks(_ metrics: HookMetrics, _ page: inout Page) {
        page.family("jobserver_hook_deliveries_total", "counter", "Requests to hooks, by outcome.") { page in
            for outcome in DeliveryRecord.Outcome.allCases {
                page.sample("outcome=\"\(outcome.word)\"", metrics.total(outcome))
            }
        }
    }

    private static func callbacks(_ metrics: CallbackMetrics, _ page: inout Page) {
        page.family("jobserver_callback_requests_total", "counter", "Requests to callback URLs, by outcome.")
        {
            page in
            for outcome in CallbackMetrics.Outcome.allCases {
                page.sample("outcome=\"\(outcome.rawValue)\"", metrics.total(outcome))
            }
        }
    }

    private static func bulk(_ metrics: BulkMetrics, _ page: inout Page) {
        page.family("jobserver_bulk_settled_total", "counter", "Jobs that bulk actions settled, by state.") {
            page in
            for outcome in BulkResult.Outcome.allCases {
                page.sample("state=\"\(outcome.rawValue)\"", metrics.settled(outcome))
            }
        }
        let running = metrics.running
        page.family("jobserver_bulk_running", "gauge", "Bulk actions that are running.") { page in
            page.sample("", running.count)
        }
        page.family("jobserver_bulk_waiting", "gauge", "Jobs that running bulk actions have left.") { page in
            page.sample("", running.jobs)
        }
    }

    private static func spans(_ traces: TraceExporter, _ page: inout Page) {
        page.family("jobserver_trace_spans_exported_total", "counter", "Spans that the collector took.") {
            page in
            page.sample("", traces.exported)
        }
        page.family("jobserver_trace_spans_dropped_total", "counter", "Spans that were lost, by reason.") {
            page in
            page.sample("reason=\"queue_full\"", traces.droppedFull)
            page.sample("reason=\"failed\"", traces.failed)
            page.sample("reason=\"refused\"", traces.refused)
        }
        page.family("jobserver_trace_spans_waiting", "gauge", "Spans that wait for the collector.") { page in
            page.sample("", traces.waiting)
        }
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.wholeMilliseconds) / 1_000
    }

    private struct Page {
        var text = ""
        private var name = ""

        mutating func family(_ name: String, _ kind: String, _ help: String, _ samples: (inout Page) -> Void)
        {
            self.name = name
            text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
            samples(&self)
        }

        mutating func histogram(_ name: String, _ help: String, _ histogram: LatencyHistogram) {
            let read = histogram.read
            family(name, "histogram", help) { page in
                for (limit, count) in zip(histogram.limits, read.below) {
                    page.sample("le=\"\(limit / .seconds(1))\"", count, suffix: "_bucket")
                }
                page.sample("le=\"+Inf\"", read.all, suffix: "_bucket")
                page.sample("", read.sum / .seconds(1), suffix: "_sum")
                page.sample("", read.all, suffix: "_count")
            }
        }

        mutating func sample(
            _ labels: String, _ value: some CustomStringConvertible, suffix: String = ""
        ) {
            text += name + suffix + (labels.isEmpty ? "" : "{\(labels)}") + " \(value)\n"
        }
    }
}
