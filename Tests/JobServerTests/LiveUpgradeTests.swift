import Foundation
import StrictJSON
import Testing

@Suite struct `A store of an older server` {
    private func path(_ name: String, _ server: LiveServer) throws -> String {
        let page = try server.get("/v1/jobs?name=\(name)")
        return "/v1/jobs/\(try #require(page.at("/items/0/id")?.string))"
    }

    @Test func `is among the data of the tests`() {
        #expect(ReleasedStore.all.map(\.file).contains("jobs-shape-1.db"))
    }

    @Test(arguments: ReleasedStore.all)
    func `opens, and its jobs go on where they were`(_ store: ReleasedStore) throws {
        let server = try store.open()
        defer { try? FileManager.default.removeItem(at: server.directory) }
        func ended(_ name: String) throws -> LiveServer.Answer {
            let path = try path(name, server)
            let latest = Date(timeIntervalSinceNow: 60)
            var answer = try server.get(path)
            while answer.status == 200, answer.at("/done") != true, Date() < latest {
                answer = try server.get(path, headers: ["Prefer: wait=1"])
            }
            return answer
        }
        #expect(try ended("done").at("/result/inline/n") == 1)
        #expect(try ended("running").at("/result/inline/b") == 2)
        #expect(try server.get(path("half", server)).at("/state") == "waiting")
        for (name, signal) in [("waits", "go"), ("half", "on")] {
            let path = "\(try path(name, server))/signals/\(signal)"
            #expect(try server.post(path, #"{"payload": 5}"#).status == 202)
        }
        #expect(try ended("waits").at("/state") == "succeeded")
        #expect(try ended("half").at("/result/inline/b") == 2)
        let new = try server.submit(#"{"type": "value", "value": "new"}"#)
        #expect(try server.rest(new).at("/result/inline") == "new")
    }

    @Test(arguments: ReleasedStore.all)
    func `is found by its lists`(_ store: ReleasedStore) throws {
        let server = try store.open()
        defer { try? FileManager.default.removeItem(at: server.directory) }
        for filter in ["queue=own", "name=waits", "label.of=test", "type=await", "queue=default&name=half"] {
            let page = try server.get("/v1/jobs?\(filter)")
            #expect(page.at("/items/0/name") != nil, "\(filter)")
            #expect(page.at("/items/1") == nil, "\(filter)")
        }
    }

    @Test(arguments: ReleasedStore.all)
    func `keeps its settings and the error of a job`(_ store: ReleasedStore) throws {
        let server = try store.open()
        defer { try? FileManager.default.removeItem(at: server.directory) }
        #expect(try server.get("/v1/queues/own").at("/spec/concurrency") == 3)
        #expect(try server.get("/v1/templates/greeting").at("/spec/operation/value") == "hello")
        #expect(try server.get("/v1/schedules/nightly").at("/spec/tz") == "Europe/Berlin")
        #expect(try server.get("/v1/hosts/api.example.com/limits").at("/spec/concurrency") == 2)
        #expect(try server.get(path("failed", server)).at("/error/code") == "connect.refused")
    }
}
