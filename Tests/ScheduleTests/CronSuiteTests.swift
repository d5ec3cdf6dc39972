import Foundation
import JobKit
import Testing

@testable import JobSpec

/// The questions of croniter's and cronsim's own tests, with the answers (`Tests/Suites/cron`): times after a moment,
/// in UTC and around clock changes, and expressions that are refused. Those with seconds or years are not among them.
@Suite struct `The tests of other readers of cron expressions` {
    /// A line: the expression, and chains of times of which each is the next one after the one before; nil when the
    /// library refuses the expression.
    private struct Case {
        let library: String
        let expression: String
        let zone: String
        let chains: [[Int64]]?
    }

    private static func cases() throws -> [Case] {
        let file = URL(filePath: #filePath).appending(path: "../../Suites/cron/times.jsonl").standardized
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            let row = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any])
            return Case(
                library: try #require(row[0] as? String), expression: try #require(row[1] as? String),
                zone: row.count > 2 ? try #require(row[2] as? String) : "",
                chains: row.count > 2 ? try #require(row[3] as? [[Int64]]) : nil)
        }
    }

    /// Expressions that croniter reads and this program refuses, always with the remedy.
    private static let refused: [String: Set<String>] = [
        "a step after one value is read in two ways": ["0 4/6 * * *", "0 0/6 * * *"],
        "a range begins before its end, and L, W and # belong to one value": [
            "0 0 1 Nov-Mar *", "0 0 1 Apr-Feb *", "0 0 1 Apr-Mar/3 *", "0 0 1 Apr-Mar/2 *", "0 0 * * 7-mon",
            "0 0 * * 7-tue", "0 0 * * 7-wed", "0 0 * * 7-thu", "0 0 * * 7-fri", "0 0 * * 7-sat",
            "0 0 * * Thu-Tue/2", "0 0 * * thu-tue/2", "0 0 * * Thu-Tue/3", "0 0 * * thu-tue/3",
            "35 * 1-l/8 * *", "0 0 29-L * *", "30 23 1-7 JAN MON-FRI#1", "0 9 W15 * *",
        ],
        "L is written large, since l looks like 1": ["0 0 l * *"],
    ]

    /// Expressions that both read, differently.
    private static let different: [String: Set<String>] = [
        "a day field that begins with * asks for both, as in Vixie cron": ["0 16 */2 * sat"],
        "a * in a list is every day, also beside a weekday": ["0 0 * * *,sat#3"],
        "a fixed time runs once in an hour that comes twice": ["0 1 * * *"],
        "a month without a 31st has no weekday next to it": ["0 9 31W * *"],
        "a range of one day is that day, as in Vixie cron": [
            "0 0 * * Sun-Sun", "0 0 * * 7-7", "0 0 * * 0-0",
        ],
    ]

    /// Expressions that one of them refuses and this program reads.
    private static let read: [String: Set<String>] = [
        "a list may mix weekdays with and without #": ["0 0 * * 5,6#3"],
        "? is * in a list, too": ["* * ?,* * *"],
        "MONL is MON#L, as 1L is": ["* * * * MONL"],
        "read, and refused by the schedule, since no year has such a day": ["* * 30 2 *", "* * 31 4 *"],
    ]

    private static func expressions(_ table: [String: Set<String>]) -> Set<String> {
        table.values.reduce(into: []) { $0.formUnion($1) }
    }

    @Test func `have the same times, but for a list of differences`() throws {
        var refused: Set<String> = []
        var different: Set<String> = []
        var compared = 0
        for item in try Self.cases() {
            guard let chains = item.chains else { continue }
            guard let times = try? CronExpression(item.expression).times else {
                refused.insert(item.expression)
                continue
            }
            let rules = try #require(SystemZones.rules(named: item.zone))
            for chain in chains {
                for (moment, next) in zip(chain, chain.dropFirst()) {
                    compared += 1
                    if times.next(after: moment, in: rules) != next { different.insert(item.expression) }
                }
            }
        }
        #expect(compared > 1_500)
        #expect(refused == Self.expressions(Self.refused))
        #expect(different == Self.expressions(Self.different))
    }

    @Test func `refuse the same expressions, but for a list of differences`() throws {
        var read: Set<String> = []
        var refused = 0
        for item in try Self.cases() where item.chains == nil {
            if (try? CronExpression(item.expression)) == nil {
                refused += 1
            } else {
                read.insert(item.expression)
            }
        }
        #expect(refused > 200)
        #expect(read == Self.expressions(Self.read))
    }
}
