@testable import SQLiteStore
import Testing

@testable import JobStore

@Suite struct `Specs of new jobs` {
    private func spec(_ count: Int) -> FreshSpec { FreshSpec(bytes: Array(repeating: 0x20, count: count)) }

    @Test func `are given once`() {
        var specs = FreshSpecs()
        specs.remember(spec(10), of: 1)
        #expect(specs.take(1)?.bytes.count == 10)
        #expect(specs.take(1) == nil)
        #expect(specs.take(2) == nil)
    }

    @Test func `are kept by the thousand when they are short`() {
        var specs = FreshSpecs()
        for number in 1...100_000 { specs.remember(spec(300), of: Int64(number)) }
        #expect((4_000...5_000).contains(specs.count))
        #expect(specs.take(1) != nil, "the first one is claimed first")
        #expect(specs.take(100_000) == nil)
    }

    @Test(arguments: [0, 300, 4_096, 65_536, 1 << 20])
    func `together stay within a few megabytes`(count: Int) {
        var specs = FreshSpecs()
        for number in 1...10_000 { specs.remember(spec(count), of: Int64(number)) }
        #expect(specs.count * count <= 3_500_000)
        #expect(specs.count <= 7_000)
    }

    @Test func `find room again when others were taken`() {
        var specs = FreshSpecs()
        for number in 1...100_000 {
            specs.remember(spec(1_000), of: Int64(number))
            #expect(specs.take(Int64(number)) != nil)
        }
    }
}
