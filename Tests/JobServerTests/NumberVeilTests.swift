import Testing

@testable import JobServer

@Suite struct `A veil over numbers` {
    @Test func `gives each number back, and does not show how far they are apart`() {
        let veil = NumberVeil()
        let numbers: [UInt64] = [0, 1, 2, 3, 1_000, .max >> 32, .max - 1, .max]
        for number in numbers {
            #expect(veil.number(veil.hidden(number)) == number)
            #expect(veil.hidden(veil.number(number)) == number)
        }
        let hidden = (0..<1_000).map { veil.hidden($0) }
        #expect(Set(hidden).count == 1_000)
        #expect(zip(hidden, hidden.dropFirst()).allSatisfy { max($0, $1) - min($0, $1) > 1_000 })
        #expect(NumberVeil().hidden(1) != veil.hidden(1))
    }
}
