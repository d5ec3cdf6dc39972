import HTTPMessage
import Testing

@Suite struct `A request parser next to h11` {
    @Test func `reads the whole corpus as h11 does, but for the listed differences`() throws {
        let corpus = RequestCorpus.all
        #expect(corpus.count >= 300)
        #expect(Set(corpus.map(\.name)).count == corpus.count)
        let readings = try H11Oracle.readings(of: corpus.map(\.bytes))
        var differing: Set<String> = []
        for (request, theirs) in zip(corpus, readings) where reading(of: request.bytes) != theirs {
            differing.insert(request.name)
            #expect(
                H11Differences.names.contains(request.name),
                "\(request.name.debugDescription): ours \(reading(of: request.bytes)), h11 \(theirs)")
        }
        #expect(H11Differences.names.subtracting(differing) == [], "listed, but no longer different")
    }

    @Test func `never accepts a damaged request that h11 reads in another way`() throws {
        var random = SeededRandom(seed: 20_261_121)
        let damaged = (0..<4000).map { _ in RequestMutation.damage(RequestCorpus.all, &random) }
        let readings = try H11Oracle.readings(of: damaged)
        var accepted = 0
        for (bytes, theirs) in zip(damaged, readings) {
            let ours = reading(of: bytes)
            guard !ours.hasSuffix("F") else { continue }
            accepted += 1
            #expect(
                ours == theirs || RequestMutation.isExplained(bytes, ours, theirs),
                "\(String(decoding: bytes, as: UTF8.self).debugDescription): \(ours), h11 \(theirs)"
            )
        }
        #expect(accepted > 300)
    }
}
