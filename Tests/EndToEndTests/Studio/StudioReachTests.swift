// How far the link of a live page leads: chosen when a take begins, and again while it is live.
import CoreTesting
import FoundationEssentials
import KineMeasure
import KinePlatform
import ProcessTesting
import Testing

@Suite(.tags(.real, .programs)) struct StudioReachTests {
    private struct Take: Decodable {
        var id: String
        var destinations: [Destination]
    }

    private struct Destination: Decodable {
        var phase: String
        var link: String?
        var reach: String?
    }

    private static func take(_ studio: RunningStudio, _ session: [String]) throws -> Take? {
        let takes = try studio.ask("GET", "/api/takes", "", session).text
        return try JSONDecoder().decode([Take].self, from: Data(takes.utf8)).first
    }

    /// Waits until so many destinations are live and have links.
    private static func links(_ count: Int, of studio: RunningStudio, _ session: [String]) throws -> Take {
        var found: Take?
        try wait("\(count) links") {
            found = try take(studio, session)
            return found?.destinations.count { $0.phase == "live" && $0.link != nil } == count
        }
        return try #require(found)
    }

    @Test func `another reach is a destination with a link of its own, and the first link stays`() throws {
        let broadcast = "[broadcast]\npattern = 320x240\naudio = none\nlisten = 127.0.0.1:0\n"
        try RunningStudio.with(configuration: broadcast) { studio in
            let session = try studio.openSession()
            let started = try studio.ask(
                "POST", "/api/takes", #"{"destinations":["live"],"isRecorded":false}"#, session)
            #expect(started.status == 202, "\(started)")
            let first = try Self.links(1, of: studio, session)
            #expect(first.destinations[0].reach == "computer")
            func add(_ body: String) throws -> (status: Int, text: String) {
                try studio.ask("POST", "/api/takes/\(first.id)/destinations", body, session)
            }
            for (link, words) in [("{}", "message"), (#"{"address":"live.example.org"}"#, "has to begin with http")] {
                let refused = try add(#"{"destination":"live:public","link":\#(link)}"#)
                #expect([400, 409].contains(refused.status) && refused.text.contains(words), "\(refused)")
            }
            #expect(try add(#"{"destination":"live:network"}"#).status == 202)
            let port = try Loopback.freePort()
            let page = "https://live.example.org/screen/"
            #expect(
                try add(#"{"destination":"live:public","link":{"address":"\#(page)","port":\#(port)}}"#).status == 202)
            let all = try Self.links(3, of: studio, session)
            #expect(all.destinations[0].link == first.destinations[0].link)
            func link(_ reach: String) -> String { all.destinations.first { $0.reach == reach }?.link ?? "" }
            #expect(link("network").hasPrefix("http://") && !link("network").hasPrefix("http://127."))
            #expect(link("public").hasPrefix("\(page)#"))
            // Each is answered at a port of its own, the first one as before.
            let base = try #require(LiveLink(link("computer"))).base
            let own = try #require(base.split(separator: ":").last.flatMap { UInt16($0.filter(\.isNumber)) })
            for (reach, number) in [("computer", own), ("public", UInt16(port))] {
                let token = try #require(LiveLink(link(reach))).token
                let state = try HTTPExchange.ask(
                    port: number, method: "GET", path: "/state", content: [], headers: ["Kinecast-Token: \(token)"],
                    deadline: MonotonicClock.now() + 60_000_000_000)
                #expect(state.status == 200, "\(reach)")
            }
            #expect(try studio.ask("POST", "/api/takes/\(first.id)/stop", "{}", session).status == 200)
        }
    }

    @Test func `a take begins with a link for the network, whatever is configured`() throws {
        let broadcast =
            "[broadcast]\npattern = 320x240\naudio = none\nlisten = 8080\npublic-url = https://live.example.org/\n"
        try RunningStudio.with(configuration: broadcast) { studio in
            let session = try studio.openSession()
            let body = #"{"destinations":["live:network"],"isRecorded":false}"#
            #expect(try studio.ask("POST", "/api/takes", body, session).status == 202)
            let take = try Self.links(1, of: studio, session)
            #expect(take.destinations[0].reach == "network")
            #expect(take.destinations[0].link?.contains("example.org") == false)
            #expect(try studio.ask("POST", "/api/takes/\(take.id)/stop", "{}", session).status == 200)
        }
    }
}
