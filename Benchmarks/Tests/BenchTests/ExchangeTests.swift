// The accounts of several processes, matched with each other.
import Testing

@testable import kinecast_bench

@Suite struct ExchangeTests {
    @Test func `each answer belongs to the oldest event that it is new for`() {
        let hearing = Hearing(
            of: [100, 200, 300], [.init(event: 103, instant: 103), .init(event: 204, instant: 204)])
        #expect(hearing.delays == [3, 4])
        #expect(hearing.joined == 0)
        #expect(hearing.missing == 1)
    }

    @Test func `one answer for several events counts from the oldest, and the others have joined it`() {
        let hearing = Hearing(of: [100, 200, 300], [.init(event: 250, instant: 250), .init(event: 301, instant: 301)])
        #expect(hearing.delays == [150, 1])
        #expect(hearing.joined == 1)
        #expect(hearing.missing == 0)
    }

    @Test func `an answer for nothing new is left out`() {
        let hearing = Hearing(
            of: [100], [50, 104, 105].map { Hearing.Answer(event: $0, instant: $0) })
        #expect(hearing.delays == [4])
        #expect(hearing.missing == 0)
    }

    @Test func `no events and no answers are no delay`() {
        #expect(Hearing(of: [], []).delays.isEmpty)
        #expect(Hearing(of: [1, 2], []).missing == 2)
    }

    @Test func `what members print is read`() {
        let defaults = ExchangeMedium.defaults
        #expect(defaults.events(in: "set at 12\nset at 13\n") == [12, 13])
        #expect(
            defaults.answers(in: "ready\nsaw -1 at 10\nsaw 12 at 14\n") == [
                .init(event: -1, instant: 10), .init(event: 12, instant: 14),
            ])
        let notifications = ExchangeMedium.notifications
        #expect(notifications.events(in: "posting at 5\n") == [5])
        #expect(notifications.answers(in: "ready\nheard at 9\n") == [.init(event: 9, instant: 9)])
    }

    @Test func `percentiles are of all listeners' answers`() {
        let hearings = [1, 2].map { factor in
            Hearing(
                of: (0..<50).map { $0 * 100 },
                (0..<50).map { .init(event: $0 * 100, instant: $0 * 100 + ($0 + 1) * factor) })
        }
        var run = ListeningRun(
            medium: .defaults, listeners: 2, events: 50, hearing: Hearing(joining: hearings), cost: 0, switches: 0)
        #expect(run.hearing.delays.count == 100)
        #expect(run.delay(0.99) == 98e-6 && run.delay(1) == 100e-6)
        run.hearing = Hearing(of: [], [])
        #expect(run.delay(0.5).isNaN)
    }

    @Test func `frames are matched by presentation time, and those before and after the app do not count`() {
        let sent = (0..<6).map { MeterAccount.Arrival(presentationTime: $0 * 16, instant: 1000 + $0 * 16, frame: nil) }
        let received = [1, 2, 4].map {
            MeterAccount.Arrival(presentationTime: $0 * 16, instant: 1000 + $0 * 16 + $0, frame: nil)
        }
        let passage = Passage(sent: sent, received: received)
        #expect(passage.delays == [1, 2, 4])
        #expect(passage.missing == 1)
        #expect(Passage(sent: sent, received: []).missing == 6)
    }
}
