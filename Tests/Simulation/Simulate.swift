import Glibc
import SpecModel

/// Runs simulations, one per seed.
@main
struct Simulate {
    private static let usage = """
        usage: Simulate --first N --count N     run seeds, say what was found
               Simulate --seed N                run one seed and print all that happens
          --servers N     so many servers share the store (1)
          --meaning N     random specs beside a model of what they mean, with N crashes each (0 to 9)
          --plant FAULT   with a fault of the product: \(PlantedFault.allCases.map(\.rawValue).joined(separator: ", "));
                          with --meaning, of the model: \(ModelMisreading.allCases.map(\.rawValue).joined(separator: ", "))
        Set SWIFT_DETERMINISTIC_HASHING=1: without it a seed does not replay.
        """

    static func main() {
        let words = CommandLine.arguments
        func word(_ name: String) -> String? {
            guard let place = words.firstIndex(of: name), place + 1 < words.count else { return nil }
            return words[place + 1]
        }
        func number(_ name: String) -> UInt64? { word(name).flatMap { UInt64($0) } }
        guard let hashing = unsafe getenv("SWIFT_DETERMINISTIC_HASHING"), unsafe hashing[0] != 0 else {
            print(usage)
            exit(64)
        }
        var shape = Shape()
        if let servers = number("--servers") { shape.servers = Int(clamping: servers) }
        let kills = number("--meaning").map { Int(clamping: $0) }
        if let name = word("--plant"), kills == nil {
            shape.plant = PlantedFault(rawValue: name)
            if shape.plant == nil || shape.servers < 2 {
                print(usage)
                exit(64)
            }
        }
        if let kills {
            let misreading = word("--plant").flatMap(ModelMisreading.init)
            if (misreading == nil) == (word("--plant") == nil) {
                if let seed = number("--seed") {
                    exit(compare(seed..<(seed + 1), kills, misreading, isShown: true))
                } else if let first = number("--first"), let count = number("--count") {
                    exit(compare(first..<(first + count), kills, misreading))
                }
            }
        } else if let seed = number("--seed") {
            exit(replay(seed, shape))
        } else if let first = number("--first"), let count = number("--count") {
            exit(run(first..<(first + count), shape))
        }
        print(usage)
        exit(64)
    }

    /// The number of differences after which no further specs are compared.
    private static let differencesMax = 20

    /// Runs random specs and compares what comes of them with the model.
    private static func compare(
        _ seeds: Range<UInt64>, _ kills: Int, _ misreading: ModelMisreading?, isShown: Bool = false
    ) -> Int32 {
        var (count, crashes, calls, differences) = (0, 0, 0, 0)
        for seed in seeds {
            let meaning = Meaning(seed: seed, kills: kills, misreading: misreading, isShown: isShown)
            let difference = withExtendedLifetime(meaning) { meaning.run() }
            count += 1
            crashes += meaning.crashes
            calls += meaning.callCount
            guard let difference else { continue }
            print("seed \(seed): \(difference)\n  \(meaning.text)")
            differences += 1
            if misreading != nil || differences == differencesMax { break }
        }
        print("sum specs=\(count) calls=\(calls) crashes=\(crashes) differences=\(differences)")
        return differences > 0 ? 1 : 0
    }

    private static func replay(_ seed: UInt64, _ shape: Shape) -> Int32 {
        let report = outcome(of: seed, shape, isShown: true)
        print("hash \(report.hash)")
        if let violation = report.violation {
            print("broken: \(violation)")
            return 1
        }
        return 0
    }

    /// The interval at which a seed is run twice and must give the same trace.
    private static let repeatEvery: UInt64 = 50

    /// Runs one seed.
    private static func outcome(of seed: UInt64, _ shape: Shape, isShown: Bool = false) -> RunReport {
        let simulation = Simulation(seed: seed, shape: shape, isShown: isShown)
        return withExtendedLifetime(simulation) { simulation.run() }
    }

    private static func run(_ seeds: Range<UInt64>, _ shape: Shape) -> Int32 {
        var sum = Sum()
        for seed in seeds {
            let report = outcome(of: seed, shape)
            sum.add(report)
            if let violation = report.violation {
                print("seed \(seed): \(violation)")
                print("replay with: make simulate SEED=\(seed)\(shape.words)")
                sum.write()
                return 1
            }
            if seed % repeatEvery == 0 {
                let again = outcome(of: seed, shape)
                if again.hash != report.hash {
                    print("seed \(seed): two runs of it differ (\(report.hash), \(again.hash))")
                    return 1
                }
            }
        }
        sum.write()
        return 0
    }
}

/// The totals of all runs, as one line that a script can add up.
private struct Sum {
    private var total = RunReport(seed: 0)
    private var seeds = 0

    mutating func add(_ report: RunReport) {
        seeds += 1
        total.hash = total.hash &* 31 &+ report.hash
        total.microseconds += report.microseconds
        total.jobs += report.jobs
        total.calls += report.calls
        total.crashes += report.crashes
        total.drains += report.drains
        total.faults += report.faults
        total.worstLateness = max(total.worstLateness, report.worstLateness)
    }

    func write() {
        print(
            "sum seeds=\(seeds) seconds=\(total.microseconds / 1_000_000) jobs=\(total.jobs) calls=\(total.calls) "
                + "crashes=\(total.crashes) stops=\(total.drains) faults=\(total.faults) "
                + "late_ms=\(total.worstLateness / 1_000) hash=\(total.hash)")
    }
}
