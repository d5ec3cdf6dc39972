import JobKit
import Testing

@Suite struct `The id of a job` {
    @Test func `is written with 26 digits of Crockford's base 32`() {
        #expect(JobID(high: 0, low: 0).description == "job_" + String(repeating: "0", count: 26))
        #expect(JobID(high: .max, low: .max).description == "job_7" + String(repeating: "z", count: 25))
        let id = JobID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
        #expect(id.description == "job_014d2pf2dbsqqzxq5tk1v58cgg")
    }

    @Test func `is encoded and decoded bit by bit`() {
        for bit in 0..<64 as Range<UInt64> {
            for id in [JobID(high: 1 << bit, low: 0), JobID(high: 0, low: 1 << bit)] {
                #expect(JobID(utf8: id.utf8[...]) == id)
                #expect(JobID(id.description.uppercased().replacing("JOB_", with: "job_")) == id)
            }
        }
    }

    @Test(arguments: [
        "", "job_", "job_0000000000000000000000000", "job_000000000000000000000000000",
        "job_80000000000000000000000000", "job_0000000000000000000000000u", "jab_00000000000000000000000000",
    ])
    func `is nothing else`(text: String) {
        #expect(JobID(text) == nil)
    }
}
