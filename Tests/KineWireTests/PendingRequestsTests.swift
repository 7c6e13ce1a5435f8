// Requests and their numbers, without a channel.
import Testing

@testable import KineWire

@Suite struct PendingRequestsTests {
    @Test func `equal requests have numbers of their own, and each is answered once, in whatever order`() {
        var requests = PendingRequests<String>()
        #expect((1...3).map { _ in requests.add("pause") } == [1, 2, 3])
        #expect(requests.remove(2) == "pause" && requests.remove(2) == nil && requests.remove(9) == nil)
        #expect(requests.add("stop") == 4, "a number is not used again")
        #expect(requests.count { $0 == "pause" } == 2)
        #expect(requests.removeAll() == ["pause", "pause", "stop"])
        #expect(requests.remove(1) == nil)
    }

    @Test func `a request whose time is over is removed, unless it goes on waiting`() {
        var requests = PendingRequests<String>()
        _ = requests.add("patient")
        _ = requests.add("late", until: 20)
        _ = requests.add("early", until: 10)
        _ = requests.add("long", until: 10)
        #expect(requests.nextDeadline == 10)
        #expect(requests.removeDue(at: 9) { _ in nil } == [])
        let due = requests.removeDue(at: 20) { request in
            guard request == "long" else { return nil }
            request = "longer"
            return 30
        }
        #expect(due == ["late", "early"] && requests.nextDeadline == 30)
        requests.changeEach { $0 += "!" }
        #expect(requests.removeAll() == ["patient!", "longer!"] && requests.nextDeadline == nil)
    }
}
