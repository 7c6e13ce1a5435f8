// When viewers are told the state of the stream.
import FoundationEssentials
import KineLive
import KinePlatform
import NIOCore
import Testing

@testable import KinePublish

@Suite(.timeLimit(.minutes(10))) struct LiveStreamTests {
    @Test func `a long pause is one tick for a viewer who was behind`() {
        let stream = LiveStream(title: "", format: Samples.format, wantsKeyframe: {})
        var (viewer, _) = stream.join(.records)
        let start = MonotonicClock.now()
        for second in 1...1000 { stream.tick(at: start + Int64(second) * 2_000_000_000) }
        #expect(kinds(stream, &viewer) == [.tick])
        stream.tick(at: start + 4_000_000_000_000)
        #expect(kinds(stream, &viewer) == [.tick])
        stream.close()
        #expect(kinds(stream, &viewer) == nil)
    }

    @Test func `a tick is not lost beside other records`() {
        let stream = LiveStream(title: "", format: Samples.format, wantsKeyframe: {})
        var (viewer, _) = stream.join(.records)
        stream.tick()
        stream.set(.paused)
        #expect(kinds(stream, &viewer) == [.state, .tick])
        stream.close()
        #expect(kinds(stream, &viewer) == nil)
    }

    @Test func `a new viewer is told at once what the others were told before`() throws {
        let stream = LiveStream(title: "", format: Samples.format, wantsKeyframe: {})
        let (viewer, _) = stream.join(.records)
        stream.tick()
        // A viewer who reconnects between two ticks changes nothing that a tick says.
        stream.leave(viewer)
        let (_, preface) = stream.join(.records)
        let tick = try #require(preface.last)
        #expect(kind(of: tick) == .tick)
        let bytes = tick.readableBytesView
        let begin = try #require(bytes.firstIndex(of: UInt8(ascii: "{")))
        let end = try #require(bytes.lastIndex(of: UInt8(ascii: "}")))
        #expect(try JSONDecoder().decode(LiveEdge.Status.self, from: Data(bytes[begin...end])).viewers == 1)
    }

    @Test func `the file has no ticks`() {
        let stream = LiveStream(title: "", format: Samples.format, wantsKeyframe: {})
        var (viewer, _) = stream.join(.fragments)
        stream.tick(at: MonotonicClock.now() + 2_000_000_000)
        stream.close()
        #expect(kinds(stream, &viewer) == nil)
    }

    /// The kinds of the records that come next; nil at the stream's end.
    private func kinds(_ stream: LiveStream, _ viewer: inout LiveStream.Viewer) -> [LiveRecord.Kind]? {
        let step = stream.step(from: viewer)
        viewer = step.to
        return step.progress == .over ? nil : step.buffers.compactMap { kind(of: $0) }
    }

    private func kind(of record: ByteBuffer) -> LiveRecord.Kind? {
        // After the chunk's size and the record's length.
        record.getInteger(at: record.readerIndex + 8, as: UInt8.self).flatMap { LiveRecord.Kind(rawValue: $0) }
    }
}
