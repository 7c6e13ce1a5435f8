// As many clients as a take gives samples to, and one more.
import Glibc
import KineControl
import KinePlatform
import ProcessTesting
import Testing

@Suite struct FeedLimitTests {
    @Test func `the seventeenth client that wants samples is told so, and gets them once another has gone`() throws {
        try TestPlace.with { place in
            let recorder = try place.start(["record", "a.mp4", "--pattern", "320x240", "--json"])
            let id = try recorder.event("started").id
            let record = try #require(try place.registry().list().running.first { $0.id == id })
            func connect() throws -> (ClientConnection, EngineMessage?) {
                let client = try place.registry().connect(to: record)
                try client.send(.receiveSamples(SampleRequest(video: .encoded(codec: .h264, keyframeInterval: nil))))
                return (client, try client.answer())
            }
            var clients: [ClientConnection] = []
            for _ in 0..<16 {
                let (client, answer) = try connect()
                #expect(answer == .samples(.accepted))
                clients.append(client)
            }
            guard case (_, .refused(let sentence, _)?) = try connect() else {
                Issue.record("it was not refused")
                return
            }
            #expect(sentence.contains("16 clients"))
            try clients[0].send(.endSamples)
            // Answered once what came before has been handled.
            try clients[0].send(.status)
            var messages: [EngineMessage] = []
            while !messages.contains(where: { if case .status = $0 { true } else { false } }) {
                messages += try clients[0].receive(until: MonotonicClock.now() + RunningKinecast.patience)
            }
            #expect(try connect().1 == .samples(.accepted))
            recorder.signal(SIGINT)
            #expect(try recorder.wait().status == 0)
        }
    }
}
