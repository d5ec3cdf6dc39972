import Glibc
import JobKit
import JobStore
import PostgresStore
import SQLiteStore

/// Measures the rate of the SQLite engine, or of that on PostgreSQL, without HTTP and without an engine above it.
///
///     StoreRate [directory] [--seconds 3] [--submitters 64] [--claim 64] [--sync full|normal]
///               [--submits-only] [--queue '{"concurrency": 1000}'] [--keys 0] [--store URL]
///     StoreRate --crash-writer directory
@main
struct StoreRate {
    static func main() async throws {
        let options = RateOptions(CommandLine.arguments.dropFirst())
        if options.crashes {
            try await CrashWriter(directory: options.directory).run()
            return
        }
        let store = try open(options)
        if let queue = options.queue { await configure(store, queue) }
        print("submitters \(options.submitters), claims of \(options.claimSize), \(options.seconds) s each")

        let ids = await Submitting.run(store, options)
        if !options.submitsOnly {
            try await Reading.run(store, ids, options, "all stored jobs")
            try await Reading.run(store, Array(ids.suffix(1_000)), options, "the last 1,000")
            await Running.run(store, options)
        }
        await store.close()
        let again = ContinuousClock.now
        let reopened = try open(options)
        print("opening again: \(again.duration(to: .now))  \(reopened.counts().values.reduce(0, +)) jobs")
        await reopened.close()
    }

    /// Gives the queue of all jobs a configuration.
    private static func configure(_ store: any JobStore, _ json: String) async {
        let draft = SettingDraft(
            kind: .queue, name: "default", updatedAt: Timestamp(milliseconds: 0), updatedBy: "bench"
        ) { _ in Array(json.utf8) }
        await withCheckedContinuation { continuation in
            store.perform(draft) { result in
                if case .failure(let error) = result { fatal(error) }
                continuation.resume()
            }
        }
    }

    private static func open(_ options: RateOptions) throws -> any JobStore {
        var limits = StoreLimits()
        limits.unfinishedJobsMax = 100_000_000
        if let address = options.store {
            var storeOptions = PostgresOptions()
            storeOptions.limits = limits
            return try PostgresDatabase.open(address, schema: "rate_\(getpid())", options: storeOptions)
        }
        var storeOptions = SQLiteOptions()
        storeOptions.limits = limits
        storeOptions.sync = options.isNormal ? .normal : .full
        return try DataDirectory(options.directory).open(storeOptions)
    }
}

/// The options of the command line.
struct RateOptions: Sendable {
    var directory = "/tmp/storerate-\(getpid())"
    /// The PostgreSQL to measure; nil measures SQLite.
    var store: String?
    var seconds = 3
    var submitters = 64
    var claimSize = 64
    var isNormal = false
    var submitsOnly = false
    var crashes = false
    /// The configuration of the queue.
    var queue: String?
    /// The number of keys that the jobs have, 0 for none.
    var keys: UInt64 = 0

    init(_ arguments: some Sequence<String>) {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "--seconds": seconds = Int(arguments.next() ?? "") ?? seconds
            case "--store": store = arguments.next()
            case "--submitters": submitters = Int(arguments.next() ?? "") ?? submitters
            case "--claim": claimSize = Int(arguments.next() ?? "") ?? claimSize
            case "--sync": isNormal = arguments.next() == "normal"
            case "--submits-only": submitsOnly = true
            case "--queue": queue = arguments.next()
            case "--keys": keys = UInt64(arguments.next() ?? "") ?? keys
            case "--crash-writer": crashes = true
            default: directory = argument
            }
        }
    }
}

/// Measures wall time and the processor time of all threads from its creation on.
struct Stopwatch {
    private let start = ContinuousClock.now
    private let processor = Self.processorSeconds

    /// Prints one line of figures.
    func report(_ what: String, _ count: Int, _ unit: String) {
        let time = start.duration(to: .now).components
        let seconds = Double(time.seconds) + Double(time.attoseconds) / 1e18
        let processor = (Self.processorSeconds - processor) / Double(max(1, count))
        let rate = Int(Double(count) / seconds)
        print("\(what): \(rate) \(unit)/s, \(Int(processor * 1e9)) ns of processor time each")
    }

    private static var processorSeconds: Double {
        var usage = rusage()  // 0 is RUSAGE_SELF: this process with all its threads
        _ = unsafe getrusage(0, &usage)
        let micro = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + Double(micro) / 1e6
    }
}

/// Random numbers that cost no system call.
struct SmallRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A job like those that come over HTTP: a spec of 300 bytes.
/// - Parameter keys: the number of keys that the jobs have.
func sampleJob(_ number: UInt64, keys: UInt64 = 0) -> NewJob {
    let now = Timestamp(milliseconds: 1_800_000_000_000 + Int64(number / 100))
    var generator = SmallRandom(state: number)
    var record = JobRecord(
        id: JobID(at: now, using: &generator), name: "call", type: "network", queue: "default", priority: 5,
        labels: [], state: .queued, attemptsMax: 5, createdAt: now, keepSucceededMilliseconds: 604_800_000,
        keepFailedMilliseconds: 2_592_000_000)
    if keys > 0 { record.queueKey = "customer-\(number % keys)" }
    return NewJob(record: record, spec: sampleSpec)
}

let sampleSpec = [UInt8](repeating: 0x78, count: 300)
