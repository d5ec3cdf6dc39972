import FoundationEssentials
import HTTPMessage
import JobKit
import Synchronization
import Testing

@testable import JobServer

@Suite struct `The permissions of open answers` {
    private typealias Answers = OpenAnswers

    private let token = OpenAnswers.Credential.token([1])
    private let need = OpenAnswers.Need(scopes: [.read], tenant: nil)

    private func standing(
        _ scopes: Set<AccessScope> = [.read], tenant: String? = nil, until: Timestamp = .never
    ) -> OpenAnswers.Standing {
        var entry = TokenEntry(name: "ada", digest: [1], scopes: scopes)
        entry.tenant = tenant
        return .init(entry: entry, until: until)
    }

    /// Counts the ends of answers.
    private final class Ends: Sendable {
        private let ends = Mutex(0)
        var count: Int { ends.withLock { $0 } }
        func note() { ends.withLock { $0 += 1 } }
    }

    @Test func `end once when the token is gone, lacks the scope or is of another tenant`() {
        let changes: [OpenAnswers.Standing?] = [nil, standing([.write]), standing(tenant: "acme")]
        for change in changes {
            let (answers, ends) = (OpenAnswers(), Ends())
            answers.enter(
                answers.place(of: token), needing: need, standing: { _ in standing() }, end: ends.note)
            answers.review(standing: { _ in standing([.read, .write]) })
            #expect(ends.count == 0)
            answers.review(standing: { _ in change })
            answers.review(standing: { _ in change })
            #expect(ends.count == 1)
            #expect(answers.count == 0)
        }
    }

    @Test func `end at once when they had ended before the answer was noted`() {
        let (answers, ends) = (OpenAnswers(), Ends())
        answers.enter(answers.place(of: token), needing: need, standing: { _ in nil }, end: ends.note)
        #expect(ends.count == 1)
        #expect(answers.count == 0)
    }

    @Test func `are asked about only when the first of them may have expired`() {
        let (answers, ends) = (OpenAnswers(), Ends())
        let (soon, late) = (Timestamp(milliseconds: 1_000), Timestamp(milliseconds: 5_000))
        for (digest, until) in [(UInt8(1), late), (2, soon)] {
            answers.enter(
                answers.place(of: .token([digest])), needing: need, standing: { _ in standing(until: until) },
                end: ends.note)
        }
        #expect(!answers.isDue(at: Timestamp(milliseconds: 999)))
        #expect(answers.isDue(at: soon))
        answers.review(standing: { $0 == .token([2]) ? nil : standing(until: late) })
        #expect(ends.count == 1)
        #expect(!answers.isDue(at: soon))
        #expect(answers.isDue(at: late))
    }

    @Test func `are forgotten with the answer, and those of other credentials stay`() {
        let (answers, ends) = (OpenAnswers(), Ends())
        let place = answers.place(of: token)
        answers.enter(place, needing: need, standing: { _ in standing() }, end: ends.note)
        let session = OpenAnswers.Credential.session([7], token: [1])
        answers.enter(
            answers.place(of: session), needing: need, standing: { _ in standing() }, end: ends.note)
        answers.leave(place)
        answers.leave(place)
        #expect(answers.count == 1)
        answers.review({ $0 == token }, standing: { _ in nil })
        #expect(ends.count == 0)
        answers.review({ $0 == session }, standing: { _ in nil })
        #expect(ends.count == 1)
    }

    @Test func `are those of the token file, up to the expiry there`() throws {
        let directory = FileManager.default.temporaryDirectory
        let file = TokenFile(path: directory.appending(path: "tokens-\(UUID().uuidString)").path)
        defer { try? FileManager.default.removeItem(atPath: file.path) }
        let token = BearerToken()
        var entry = TokenEntry(name: "ada", digest: token.digest)
        entry.expiresAt = Timestamp(milliseconds: 5_000)
        try file.write([entry])
        let (gate, ends) = (try TokenGate(file: file), Ends())
        let credential = OpenAnswers.Credential.token(token.digest)
        #expect(gate.standing(of: credential, at: Timestamp(milliseconds: 4_999))?.until == entry.expiresAt)
        #expect(gate.standing(of: credential, at: Timestamp(milliseconds: 5_000)) == nil)
        gate.open.enter(
            gate.open.place(of: credential), needing: need,
            standing: { gate.standing(of: $0, at: Timestamp(milliseconds: 1)) }, end: ends.note)
        gate.reviewExpiries(at: Timestamp(milliseconds: 4_999))
        #expect(ends.count == 0)
        gate.reviewExpiries(at: Timestamp(milliseconds: 5_000))
        #expect(ends.count == 1)
    }

    @Test func `end with the first look after the end of their token, within a second`() throws {
        let directory = FileManager.default.temporaryDirectory
        let file = TokenFile(path: directory.appending(path: "tokens-\(UUID().uuidString)").path)
        defer { try? FileManager.default.removeItem(atPath: file.path) }
        let (brief, revoked) = (BearerToken(), BearerToken())
        let end = Timestamp(milliseconds: 5_000)
        var entry = TokenEntry(name: "brief", digest: brief.digest)
        entry.expiresAt = end
        try file.write([entry, TokenEntry(name: "revoked", digest: revoked.digest)])
        let (gate, ends) = (try TokenGate(file: file), Ends())
        for digest in [brief.digest, revoked.digest] {
            gate.open.enter(
                gate.open.place(of: .token(digest)), needing: need,
                standing: { gate.standing(of: $0, at: Timestamp(milliseconds: 1)) }, end: ends.note)
        }
        // The look before comes just too early.
        var now = end.advanced(by: .milliseconds(-1))
        gate.reviewExpiries(at: now)
        #expect(ends.count == 0)
        now = now.advanced(by: TokenGate.lookEvery)
        gate.reviewExpiries(at: now)
        #expect(ends.count == 1)
        #expect(now.since(end) < .seconds(1))
        // A look at the file finds each change of it.
        #expect(try !gate.reloadIfChanged())
        try file.write([entry])
        #expect(try gate.reloadIfChanged())
        #expect(ends.count == 2)
        #expect(gate.open.count == 0)
    }
}
