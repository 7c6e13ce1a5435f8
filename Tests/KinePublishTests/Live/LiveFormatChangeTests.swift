// A live stream whose frames change their size: what its viewers get, and what a browser shows.
import CoreTesting
import FoundationEssentials
import KineLive
import KineMeasure
import KineMedia
import KinePlatform
import NIOCore
import Synchronization
import Testing

@testable import KinePublish

@Suite struct LiveFormatChangeTests {
    private static let format = VideoFormat(
        parameterSets: .h264(H264ParameterSets(sequence: [0x67, 0x64, 0x00, 0x1E, 3], picture: [0x68, 4])),
        size: PixelSize(width: 320, height: 240))
    private let stream = LiveStream(title: "", format: Samples.format, wantsKeyframe: {})

    private func publish(_ number: Int, _ format: VideoFormat? = nil) {
        let sample = Samples.frame(number)
        sample.data.withUnsafeBytes {
            stream.publish(
                .video, presentationTime: sample.presentationTime, isKeyframe: sample.isKeyframe, bytes: $0,
                format: format)
        }
    }

    /// All bytes that the stream has for the viewer now.
    private func received(_ viewer: inout LiveStream.Viewer) -> [ByteBuffer] {
        var buffers: [ByteBuffer] = []
        while true {
            let step = stream.step(from: viewer)
            viewer = step.to
            buffers += step.buffers
            if step.progress != .more { return buffers }
        }
    }

    /// After the chunk's size and the record's length.
    private func kinds(_ records: [ByteBuffer]) -> [LiveRecord.Kind?] {
        records.map { record in
            record.getInteger(at: record.readerIndex + 8, as: UInt8.self).flatMap { LiveRecord.Kind(rawValue: $0) }
        }
    }

    @Test func `a header comes before the keyframe of another format, and first for a new viewer`() throws {
        let (joined, before) = stream.join(.records)
        var viewer = joined
        for number in 0..<3 { publish(number, number == 0 ? Samples.video : nil) }
        #expect(kinds(received(&viewer)) == [.video, .video, .video])
        publish(10, Self.format)
        publish(11)
        publish(20, Self.format)
        let records = received(&viewer)
        #expect(
            kinds(records) == [.description, .videoInitialization, .initialization, .video, .video, .video])
        let preface = stream.join(.records).preface
        #expect(preface.prefix(3) == records.prefix(3))
        #expect(preface.prefix(3) != before.prefix(3))
        // Behind the first chunk, whose numbers may look like anything.
        let bytes = records[0].readableBytesView.dropFirst(22)
        let begin = try #require(bytes.firstIndex(of: UInt8(ascii: "{")))
        let end = try #require(bytes.lastIndex(of: UInt8(ascii: "}")))
        let description = try JSONDecoder().decode(LiveDescription.self, from: Data(bytes[begin...end]))
        #expect(description.video?.width == 320 && description.audio.count == 1)
    }

    @Test func `the file has another initialization segment before the keyframe`() {
        var (viewer, _) = stream.join(.fragments)
        publish(0)
        publish(10, Self.format)
        let fragments = received(&viewer)
        #expect(fragments.count == 3)
        #expect([fragments[1]] == stream.join(.fragments).preface)
    }

    @Test(arguments: [ViewerCursor.Form.records, .fragments])
    func `a viewer who skips the header gets it where they continue`(form: ViewerCursor.Form) {
        func parts(_ records: [LiveRecord]) -> [ByteBuffer] {
            records.compactMap { form == .records ? $0.chunks : $0.fragment }
        }
        var history = SampleHistory<LiveRecord>()
        history.append(key: true, at: 0)
        var viewer = ViewerCursor(form: form, history: history)
        history.append(at: 1)
        var header = LiveHeader(title: "", format: LiveFormat(video: Self.format, audio: Samples.format.audio))
        for record in header.records { history.append(record, at: 2_500_000_000) }
        header.end = history.end
        history.append(key: true, at: 2.5)
        var buffers: [ByteBuffer] = []
        _ = viewer.advance(in: history, header: header, state: Samples.state, into: &buffers)
        #expect(buffers == parts(header.records + [Samples.state, history[header.end].content]))
        // They have it now, whatever else they skip.
        history.append(at: 3)
        history.append(key: true, at: 4.5)
        buffers = []
        _ = viewer.advance(in: history, header: header, state: Samples.state, into: &buffers)
        #expect(buffers == parts([Samples.state, history[history.end - 1].content]))
    }
}

@Suite(.serialized, .tags(.real)) struct FormatChangePageTests {
    @Test(arguments: ["webcodecs", "mse"])
    func `a browser plays on when the frames get another size`(way: String) async throws {
        let frames = try await blocking { try ChangingStream() }
        let server = try await LiveServer.start(
            LiveSettings(setupInfo: [:]), format: LiveFormat(video: frames.formats[0], audio: []), events: .init())
        let link = try #require(LiveLink(server.links.page))
        let (isOver, isToChange) = (Flag(), Flag())
        let source = DedicatedThread(name: "frames") {
            let origin = MonotonicClock.now()
            var number = 0
            // A second that never comes.
            var changed = Int(Int32.max)
            while !isOver.isSet {
                FrameRhythm.sleep(until: origin + Int64(number) * 1_000_000_000 / Int64(ChangingStream.framesPerSecond))
                if number % ChangingStream.framesPerSecond == 0, isToChange.isSet {
                    changed = min(changed, number / ChangingStream.framesPerSecond)
                }
                server.publish(frames.sample(number, changingAfter: changed))
                number += 1
            }
        }
        defer { isOver.set() }
        let page = try await blocking {
            let browser = try Browser(environment: ["PATH=/usr/local/bin:/usr/bin:/bin"])
            defer { browser.end() }
            try browser.open(link.playing(way))
            try #require(try browser.wait(until: "return document.body.dataset.phase === 'live'"))
            let _: Bool = try browser.run(
                """
                window.phases = [];
                new MutationObserver(() => window.phases.push(document.body.dataset.phase))
                    .observe(document.body, { attributes: true, attributeFilter: ["data-phase"] });
                return true;
                """)
            isToChange.set()
            // Setting a canvas's size makes it black.
            let isShown =
                way == "mse"
                ? """
                const video = document.querySelector("video");
                return video.videoWidth === 160 && video.videoHeight === 240 && video.readyState > 2 && !video.paused;
                """
                : """
                const canvas = document.querySelector("canvas");
                if (canvas.width !== 160 || canvas.height !== 240) return false;
                return canvas.getContext("2d").getImageData(0, 0, 160, 240).data.some((value, at) => at % 4 < 3 && value > 100);
                """
            try #require(try browser.wait(until: isShown))
            let phases: [String] = try browser.run("return window.phases")
            let playing: String = try browser.run("return document.body.dataset.way")
            return (phases: phases, playing: playing)
        }
        #expect(page.playing == way)
        #expect(page.phases.allSatisfy { $0 == "live" }, "\(page.phases)")
        isOver.set()
        try await blocking { source.join() }
        await server.finish()
    }

    /// Told from one thread to another.
    private final class Flag: Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .relaxed) }
        func set() { value.store(true, ordering: .relaxed) }
    }
}
