import StrictJSON
import Testing

@testable import JobServer

@Suite struct `A page token that a client made up` {
    @Test(arguments: [
        "-9223372036854775808#0", "0#0", "-1/inner#0", "4#9223372036854775807", "9223372036854775807#0",
        "01#0", "+1#0", "nothing#0",
    ])
    func `gets an empty page of attempts at once`(place: String) throws {
        let server = try LiveServer()
        let id = try server.submit(
            #"{"type": "repeat", "every": "1h", "max_runs": 3, "operation": {"type": "value", "value": 1}}"#)
        let list = "/v1/jobs/\(id)/attempts"
        let token = PageToken(place: Array(place.utf8), filters: PageToken.digest(of: list)).text
        let answer = try server.get("\(list)?page_token=\(token)")
        #expect(answer.status == 200)
        #expect(answer.at("/items")?.array?.isEmpty == true)
    }
}
