// When viewers are told how the stream stands.
import FoundationEssentials
import KinePlatform
import NIOCore
import Testing

@testable import KinePublish

@Suite(.timeLimit(.minutes(10))) struct LiveStreamTests {
    @Test func aLongPauseIsOneTickForAViewerWhoWasBehind() async {
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

    @Test func aTickIsNotLostBesideOtherRecords() async {
        let stream = LiveStream(title: "", format: Samples.format, wantsKeyframe: {})
        let (viewer, _) = stream.join(.records)
        stream.tick()
        stream.set(.paused)
        #expect(await kinds(stream, viewer) == [.state, .tick])
        stream.close()
        #expect(await kinds(stream, viewer) == nil)
    }

    @Test func aViewerIsToldAtOnceWhatTheOthersWereToldBefore() throws {
        let stream = LiveStream(title: "", format: Samples.format, wantsKeyframe: {})
        let (viewer, _) = stream.join(.records)
        stream.tick()
        // A connection that is opened anew between two ticks changes nothing that a tick says.
        stream.leave(viewer)
        let (_, preface) = stream.join(.records)
        let tick = try #require(preface.last)
        #expect(kind(of: tick) == .tick)
        let content = tick.readableBytesView.dropFirst(LiveRecord.headerBytes)
        #expect(try JSONDecoder().decode(LiveStream.Standing.self, from: Data(content)).viewers == 1)
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
        await stream.next(for: viewer)?.compactMap { kind(of: $0) }
    }

    private func kind(of record: ByteBuffer) -> LiveRecord.Kind? {
        // It is behind the length.
        record.getInteger(at: record.readerIndex + 4, as: UInt8.self).flatMap { LiveRecord.Kind(rawValue: $0) }
    }
}
