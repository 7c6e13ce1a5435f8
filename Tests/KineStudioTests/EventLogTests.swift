// The events that a page gets when it connects again.
import Testing

@testable import KineStudio

@Suite struct EventLogTests {
    @Test func `a page gets exactly the events that it has missed, and all of them from another server`() {
        var log = EventLog()
        let events = (1...3).map { log.append("notice", "\($0)", isState: false) }
        #expect(log.events(after: nil) == events)
        #expect(log.events(after: 1) == Array(events.dropFirst()))
        #expect(log.events(after: 3) == [])
        #expect(log.events(after: 900) == events, "an id of another server")
        #expect(log.events(after: -1) == events)
        #expect(events[1].text == "id: 2\nevent: notice\ndata: 2\n\n")
        #expect(EventLog.Event(id: nil, type: "clock", data: "1.5").text == "event: clock\ndata: 1.5\n\n")
    }

    @Test func `of a state, the newest event is kept for ever, and old other events go`() {
        var log = EventLog(capacity: 3)
        _ = log.append("starting", "true", isState: true)
        for number in 1...5 {
            _ = log.append("takes", "[\(number)]", isState: true)
            _ = log.append("notice", "\(number)", isState: false)
        }
        #expect(log.events(after: nil).map(\.data) == ["true", "3", "4", "[5]", "5"])
    }

    @Test func `pages that read nothing are disconnected`() async {
        let hub = EventHub()
        let greeting = EventLog.Event(id: nil, type: "clock", data: "0")
        let connection = hub.connect(after: nil, greeting: greeting)
        for number in 0..<3000 { hub.send("notice", number) }
        var received: [String] = []
        for await text in connection.stream { received.append(text) }
        #expect(received.first == greeting.text && received.count == 1024)
        #expect(received.last == EventLog.Event(id: 1023, type: "notice", data: "1022").text)
    }

    @Test func `pages get a comment after 25 seconds without an event, and nothing wakes the server without a page`()
        async
    {
        let hub = EventHub()
        let greeting = EventLog.Event(id: nil, type: "clock", data: "0")
        let second: Int64 = 1_000_000_000
        hub.send("notice", 0, at: 0)
        #expect(hub.nextDeadline == nil)
        let connection = hub.connect(after: 1, greeting: greeting, at: 100 * second)
        #expect(hub.nextDeadline == 125 * second)
        hub.keepAlive(at: 125 * second - 1)
        hub.keepAlive(at: 125 * second)
        #expect(hub.nextDeadline == 150 * second)
        hub.send("notice", 1, at: 140 * second)
        hub.keepAlive(at: 150 * second)
        #expect(hub.nextDeadline == 165 * second, "an event serves as well")
        connection.end()
        var received: [String] = []
        for await text in connection.stream { received.append(text) }
        #expect(received == [greeting.text, ":\n\n", EventLog.Event(id: 2, type: "notice", data: "1").text])
        #expect(hub.nextDeadline == nil)
    }
}
