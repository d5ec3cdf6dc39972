import CurlHTTP
import EventIO
import Glibc
import JobRunner
import JobStore

// The cost of a job from its submission to its stored end, without an HTTP front: processor time by thread.
//
//     EngineRate DIRECTORY [count] [URL]
//
// Without a URL the jobs only return a value; with one each makes a GET. DIRECTORY takes the store and stays. The main
// thread only waits, so that the program can run under valgrind, too.

@main
enum EngineRate {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard let directory = words.first else { return print("usage: EngineRate DIRECTORY [count] [URL]") }
        let count = words.dropFirst().first.flatMap { Int($0) } ?? 20_000
        let url = words.dropFirst(2).first
        let spec = url.map { #"{"type":"network","request":"\#($0)"}"# } ?? #"{"type":"value","value":1}"#
        let bench = try EngineBench(directory: directory, spec: spec)
        bench.run(min(count, 1_000))
        let before = threadTimes()
        let began = ContinuousClock.now
        bench.run(count)
        let took = began.duration(to: .now) / .seconds(1)
        print("\(Int(Double(count) / took)) jobs/s")
        for (name, time) in threadTimes().sorted(by: { $0.key < $1.key }) {
            let nanoseconds = (time - (before[name] ?? 0)) / Int64(count)
            if nanoseconds >= 50 { print("\(name): \(Double(nanoseconds / 10) / 100) us of each job") }
        }
    }

    /// The processor time of all threads so far in nanoseconds, by name.
    private static func threadTimes() -> [String: Int64] {
        var times: [String: Int64] = [:]
        guard let folder = unsafe opendir("/proc/self/task") else { return [:] }
        defer { _ = unsafe closedir(folder) }
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            let words = text("/proc/self/task/\(name)/schedstat").split(separator: " ")
            guard let time = words.first.flatMap({ Int64($0) }) else { continue }
            times[String(text("/proc/self/task/\(name)/comm").dropLast()), default: 0] += time
        }
        return times
    }

    /// The content of a short file; empty when it cannot be read.
    private static func text(_ path: String) -> String {
        guard let file = unsafe fopen(path, "r") else { return "" }
        defer { _ = unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
