// As many clients as a take gives samples to, and one more.
import Glibc
import KineMedia
import KineWire
import ProcessTesting
import Testing

@Suite(.tags(.real, .programs)) struct FeedLimitTests {
    @Test func `the seventeenth client that wants samples is told so, and gets them once another has gone`() throws {
        try TestPlace.with { place in
            let recorder = try place.start(["record", "a.mp4", "--pattern", "320x240", "--json"])
            let id = try recorder.event("started").id
            let record = try #require(try place.registry().list().running.first { $0.id == id })
            func connect() throws -> (ClientConnection, Result<EngineReply, Refusal>?) {
                let client = try place.registry().connect(to: record)
                let request = SampleRequest(video: .encoded(codec: .h264, keyframeInterval: nil))
                return (client, try client.ask(.receiveSamples(request)))
            }
            var clients: [ClientConnection] = []
            for _ in 0..<16 {
                let (client, answer) = try connect()
                #expect(answer == .success(.done))
                clients.append(client)
            }
            guard case (_, .failure(let refusal)?) = try connect() else {
                Issue.record("it was not refused")
                return
            }
            #expect(refusal.message.contains("16 clients"))
            #expect(try clients[0].ask(.endSamples, id: 2) == .success(.done))
            #expect(try connect().1 == .success(.done))
            recorder.signal(SIGINT)
            #expect(try recorder.wait().status == 0)
        }
    }
}
