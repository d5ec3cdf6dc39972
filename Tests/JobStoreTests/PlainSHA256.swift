import JobKit

/// SHA-256 (FIPS 180-4) in a few lines, as an oracle for the content of files.
// Safe because tests use one at a time.
final class PlainSHA256: RunningDigest, @unchecked Sendable {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
        0x5be0_cd19,
    ]
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    func update(_ bytes: Span<UInt8>) {
        for index in bytes.indices { rest.append(bytes[index]) }
        count += UInt64(bytes.count)
        takeBlocks()
    }

    func finish() -> [UInt8] {
        let bits = count * 8
        rest.append(0x80)
        while rest.count % 64 != 56 { rest.append(0) }
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            rest.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
        takeBlocks()
        return state.flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
        }
    }

    /// The digest of `bytes` as hexadecimal digits.
    static func hex(_ bytes: [UInt8]) -> String {
        let digest = PlainSHA256()
        digest.update(bytes.span)
        return digest.finish().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func takeBlocks() {
        var start = 0
        while rest.count - start >= 64 {
            take(rest[start..<start + 64])
            start += 64
        }
        rest.removeFirst(start)
    }

    private func take(_ block: ArraySlice<UInt8>) {
        var words = [UInt32](repeating: 0, count: 64)
        for index in 0..<16 {
            let at = block.startIndex + index * 4
            words[index] = block[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        func turned(_ word: UInt32, _ by: UInt32) -> UInt32 { word >> by | word << (32 - by) }
        for index in 16..<64 {
            let (low, high) = (words[index - 15], words[index - 2])
            words[index] =
                words[index - 16] &+ (turned(low, 7) ^ turned(low, 18) ^ low >> 3) &+ words[index - 7]
                &+ (turned(high, 17) ^ turned(high, 19) ^ high >> 10)
        }
        var new = state
        for index in 0..<64 {
            let (a, e) = (new[0], new[4])
            let choice = (e & new[5]) ^ (~e & new[6])
            let sum = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
            let first = new[7] &+ sum &+ choice &+ Self.constants[index] &+ words[index]
            let majority = (a & new[1]) ^ (a & new[2]) ^ (new[1] & new[2])
            let second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ majority
            new = [first &+ second, a, new[1], new[2], new[3] &+ first, e, new[5], new[6]]
        }
        for index in 0..<8 { state[index] &+= new[index] }
    }

    private static let constants: [UInt32] = {
        // The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
        var primes: [UInt32] = []
        var candidate: UInt32 = 2
        while primes.count < 64 {
            if !primes.contains(where: { candidate % $0 == 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes.map { prime in
            // The cube root of prime * 2^96, found bit by bit; its low 32 bits are the fraction.
            var root: UInt64 = 0
            for bit in stride(from: 35, through: 0, by: -1) {
                let next = root | 1 << UInt64(bit)
                let square = next.multipliedFullWidth(by: next)
                let low = square.low.multipliedFullWidth(by: next)
                let high = square.high &* next &+ low.high
                if high < UInt64(prime) << 32 || (high == UInt64(prime) << 32 && low.low == 0) { root = next }
            }
            return UInt32(truncatingIfNeeded: root)
        }
    }()
}
