import Foundation
import Testing

extension `The built server` {
    @Suite struct `A server that is killed` {
        @Test(.timeLimit(.minutes(3)))
        func `knows everything it acknowledged and repeats no finished step`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Durability/kill9"),
                environment: ["IN_FLIGHT": "40", "SCHEDULED": "200"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("240 acknowledged jobs are known, 240 succeeded"))
        }

        @Test(.timeLimit(.minutes(3)))
        func `sends no request twice without permission`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Durability/once"),
                environment: ["JOBS": "200", "KILLS": "3"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("duplicates without permission: 0"))
        }

        @Test(.timeLimit(.minutes(3)))
        func `continues every job where it was, whatever the job waits for`() async throws {
            let outcome = try await Shell.run(Shell.root.appending(path: "Tests/Durability/waiting"))
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("retry less than 2 s after its time"))
        }

        @Test(.timeLimit(.minutes(3)))
        func `resumes a download, with little memory`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Durability/download"), environment: ["SIZE_MIB": "192"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("5 cuts and one kill -9"))
            #expect(outcome.output.contains("verified 192 MiB, served back whole"))
        }

        @Test(.timeLimit(.minutes(3)))
        func `keeps every promise when it is killed at any moment`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Crash/rounds"), environment: ["ROUNDS": "3"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("0 lost, 0 stuck, 0 keys with two jobs"))
        }

        @Test(.timeLimit(.minutes(3)))
        func `gives each request from outside its effect, once`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Crash/doors"), environment: ["ROUNDS": "2"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("0 lost, 0 stuck, 0 keys with two jobs"))
            #expect(outcome.output.contains("repeated deliveries"))
        }

        @Test(.timeLimit(.minutes(3)))
        func `keeps the limits and the turns of queues`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Crash/queues"),
                ["control", "concurrency", "keys", "turns"],
                environment: ["JOBS": "300", "KILLS": "2", "CROWD": "4000"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("0 limits exceeded, 0 places lost, 0 turns missed"))
        }

        @Test(.timeLimit(.minutes(3)))
        func `makes one job for each planned time, or says why none`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Crash/schedules"),
                environment: ["SCHEDULES": "12", "KILLS": "3", "STOP_SECONDS": "2"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("0 planned times lost, 0 doubled, 0 without a reason"))
        }

        @Test(.timeLimit(.minutes(3)))
        func `settles each job of a bulk action once`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Crash/bulk"),
                environment: ["JOBS": "1200", "LATENCY_RATIO": "0"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("0 jobs without a result, 0 with two, 0 changed twice"))
        }
    }

    @Suite struct `A server with a monitored disk` {
        @Test(.timeLimit(.minutes(3)))
        func `has synced every job before it acknowledges it`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Crash/synced"), environment: ["ACKNOWLEDGEMENTS": "150"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains(", 0 violations"))
        }

        @Test(.timeLimit(.minutes(5)))
        func `has every acknowledged job after the power was cut, even when syncs had failed`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Crash/powercut"), environment: ["CUTS": "12"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.components(separatedBy: ", 0 violations").count == 3, "\(outcome.output)")
        }

        @Test(.timeLimit(.minutes(3)))
        func `acknowledges nothing that it cannot store, and recovers`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Crash/faults"), ["sync-EIO"],
                environment: ["SECONDS_BROKEN": "0.3"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("accepting again after"))
        }
    }
}
