// What viewers of a stream are told in which nothing happens.
import KinePlatform
import NIOCore
import Testing

@testable import KinePublish

@Suite(.timeLimit(.minutes(10))) struct LiveStreamTests {
    @Test func aLongPauseIsOneTickToWhoeverWasNotThere() async {
        let stream = LiveStream(title: "", format: Samples.format, wantsKeyframe: {})
        let (viewer, _) = stream.join(.records)
        let start = MonotonicClock.now()
        for second in 1...1000 { stream.tick(at: start + Int64(second) * 2_000_000_000) }
        #expect(await kinds(stream, viewer) == [.tick])
        stream.tick(at: start + 4_000_000_000_000)
        #expect(await kinds(stream, viewer) == [.tick])
        stream.close()
        #expect(await kinds(stream, viewer) == nil)
    }

    @Test func whoGetsSomethingElseNeedsNoTick() async {
        let stream = LiveStream(title: "", format: Samples.format, wantsKeyframe: {})
        let (viewer, _) = stream.join(.records)
        stream.tick(at: MonotonicClock.now() + 2_000_000_000)
        stream.set(.paused)
        #expect(await kinds(stream, viewer) == [.state])
        stream.close()
        #expect(await kinds(stream, viewer) == nil)
    }

    @Test func theFileHasNoTicks() async {
        let stream = LiveStream(title: "", format: Samples.format, wantsKeyframe: {})
        let (viewer, _) = stream.join(.fragments)
        stream.tick(at: MonotonicClock.now() + 2_000_000_000)
        stream.close()
        #expect(await kinds(stream, viewer) == nil)
    }

    /// The kinds of the records that come next; nil at the stream's end.
    private func kinds(_ stream: LiveStream, _ viewer: Int) async -> [LiveRecord.Kind]? {
        let records = await stream.next(for: viewer)
        // The kind is behind the length.
        return records?.compactMap { record in
            record.getInteger(at: record.readerIndex + 4, as: UInt8.self).flatMap { LiveRecord.Kind(rawValue: $0) }
        }
    }
}
