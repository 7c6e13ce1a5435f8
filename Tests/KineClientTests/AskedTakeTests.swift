// One take that a command asks, with an engine's end of the channel in this process.
import KineTakes
import KineWire
import Testing

@testable import KineClient

@Suite struct AskedTakeTests {
    private func take(_ engine: EngineSessionTests.Engine) throws -> AskedTake {
        try AskedTake(engine.registration.record, in: engine.registry)
    }

    @Test func `each request has its own answer, and the end of the take is that of stop`() throws {
        let engine = try EngineSessionTests.Engine()
        let refusal = Refusal(.unavailable, "It does not pause.")
        let thread = try engine.serve { request, id in
            switch request {
            case .status: [.answer(id: id, .success(.status(EngineSessionTests.status("abc", link: "http://a"))))]
            case .renewLinks: [.answer(id: id, .success(.status(EngineSessionTests.status("abc", link: "http://b"))))]
            case .pause: [.event(.paused), .answer(id: id, .failure(refusal))]
            case .resume: [.answer(id: id + 1, .success(.done)), .answer(id: id, .success(.done))]
            case .stop: [.event(.finished(EngineSessionTests.summary))]
            default: [.answer(id: id, .success(.done))]
            }
        }
        do {
            let take = try take(engine)
            #expect(try take.status().phase == .recording)
            #expect(try take.links(isRenewed: false).destinations.first?.link == "http://a")
            #expect(try take.links(isRenewed: true).destinations.first?.link == "http://b")
            #expect(throws: ClientError.refused(refusal)) { try take.ask(.pause) }
            #expect(try take.ask(.resume) == .done)
            #expect(throws: ClientError.otherReply) { try take.status(for: .setMicrophone(on: true)) }
            #expect(try take.stop() == .finished(EngineSessionTests.summary))
            #expect(throws: ClientError.takeIsOver) { try take.ask(.pause) }
            #expect(try take.stop() == .finished(EngineSessionTests.summary))
        }
        thread.join()
    }

    @Test func `a take without a live page has no link`() throws {
        let engine = try EngineSessionTests.Engine()
        let thread = try engine.serve { _, id in
            [.answer(id: id, .success(.status(EngineSessionTests.status("abc", link: nil))))]
        }
        do {
            let take = try take(engine)
            #expect(throws: ClientError.noLink(take: "abc")) { try take.links(isRenewed: true) }
        }
        thread.join()
    }

    @Test func `an engine that goes away, or does not answer, is said to`() throws {
        let engine = try EngineSessionTests.Engine()
        let record = engine.registration.record
        let thread = try engine.serve { request, _ in request == .pause ? nil : [] }
        do {
            let take = try take(engine)
            #expect(throws: RequestError.noAnswer(record)) { try take.reply(to: .status, within: 0) }
            let large = ClientRequest.annotate(["title": String(repeating: "x", count: 2 << 20)])
            let error = #expect(throws: ClientError.self) { try take.ask(large) }
            let isRefused = if case .refused? = error { true } else { false }
            #expect(isRefused)
            #expect(throws: RequestError.endedWithoutAnswer(record)) { try take.reply(to: .pause) }
            #expect(throws: RequestError.endedWithoutAnswer(record)) { try take.reply(to: .pause) }
        }
        thread.join()
    }
}
