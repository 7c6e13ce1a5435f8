// The bytes that viewers receive, to the last one. A page stays open while its server is replaced, so a change here has to
// be one that was wanted.
import KineContainers
import KineMedia
import NIOCore
import Testing

@testable import KinePublish

@Suite struct ViewerBytesTests {
    private let stream = LiveStream(title: "", format: Samples.format, wantsKeyframe: {})

    private static let samples = [
        sample(.video, at: 1000, [1, 2, 3, 4, 5], isKeyframe: true), sample(.audioApp, at: 1010, [6, 7, 8]),
        sample(.video, at: 1040, [9, 10, 11, 12], isKeyframe: false),
    ]

    /// Written down from docs/live.md and ISO/IEC 14496-12, 8.8, not printed by the code.
    private static let fragments: [String] = [
        [
            "00000064 6d6f6f66", "00000010 6d666864 00000000 00000001",  // moof; mfhd: number 1
            "0000004c 74726166", "00000010 74666864 00020000 00000001",  // traf; tfhd: track 1
            "00000014 74666474 01000000 0000000000015f90",  // tfdt: 1 s of 90000 ticks
            "00000020 7472756e 00000701 00000001 0000006c",  // trun: one sample, and where it is
            "00057e40 00000005 02000000",  // its 4 s, 5 bytes, and that it depends on no other
            "0000000d 6d646174 0102030405",  // mdat
        ],
        [
            "0000005c 6d6f6f66", "00000010 6d666864 00000000 00000002",
            "00000044 74726166", "00000010 74666864 00020000 00000002",
            "00000014 74666474 01000000 000000000000bd60",  // 1.01 s of 48000 ticks
            "00000018 7472756e 00000201 00000001 00000064", "00000003",
            "0000000b 6d646174 060708",
        ],
        [
            "00000064 6d6f6f66", "00000010 6d666864 00000000 00000003",
            "0000004c 74726166", "00000010 74666864 00020000 00000001",
            "00000014 74666474 01000000 0000000000016da0",
            "00000020 7472756e 00000701 00000001 0000006c", "00057e40 00000004 01010000",
            "0000000c 6d646174 090a0b0c",
        ],
    ].map { $0.joined(separator: "") }

    /// The header of each record in a chunk of its own, up to the size of the next chunk.
    private static let headers = [
        "31300d0a 0000007d 02 01 007c 00000000000f4240 0d0a 37310d0a",
        "31300d0a 00000073 03 01 0074 00000000000f6950 0d0a 36370d0a",
        "31300d0a 0000007c 02 00 007c 00000000000fde80 0d0a 37300d0a",
    ]
    private static let chunkEnd = "0d0a"
    /// `{"phase":"paused"}`.
    private static let paused =
        "31300d0a 0000001e 05 00 0000 00000000000fde80 0d0a 31320d0a 7b227068617365223a22706175736564227d 0d0a"

    private static func sample(
        _ type: SampleType, at milliseconds: Int64, _ data: [UInt8], isKeyframe: Bool = true
    ) -> EncodedSample {
        EncodedSample(
            type: type, presentationTime: .milliseconds(milliseconds), duration: .zero, isKeyframe: isKeyframe,
            data: data)
    }

    private func publish(_ sample: EncodedSample) {
        sample.data.withUnsafeBytes {
            stream.publish(
                sample.type, presentationTime: sample.presentationTime, isKeyframe: sample.isKeyframe, bytes: $0)
        }
    }

    /// All bytes that come next for the viewer.
    private func received(_ viewer: inout LiveStream.Viewer) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let step = stream.step(from: viewer)
            viewer = step.to
            for buffer in step.buffers { bytes += Array(buffer.readableBytesView) }
            if step.progress != .more { return bytes }
        }
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(separator: "")
    }

    private func hex(_ texts: [String]) -> String { texts.joined(separator: "").filter { $0 != " " } }

    @Test func `records are sent as they are written down`() {
        for sample in Self.samples { publish(sample) }
        stream.set(.paused)
        var (viewer, _) = stream.join(.records)
        let records = zip(Self.headers, Self.fragments).map { $0 + $1 + Self.chunkEnd }
        let sent = hex(received(&viewer))
        #expect(sent == hex(records + [Self.paused]))
    }

    @Test func `the file's fragments are sent as they are written down, without the phase`() {
        for sample in Self.samples { publish(sample) }
        stream.set(.paused)
        var (viewer, _) = stream.join(.fragments)
        let chunks = zip(["37310d0a", "36370d0a", "37300d0a"], Self.fragments).map { $0 + $1 + Self.chunkEnd }
        let sent = hex(received(&viewer))
        #expect(sent == hex(chunks))
    }

    @Test func `a stream begins with both initialization segments, and the file with one`() {
        let whole = FragmentedMovie(video: Samples.format.video, audio: Samples.format.audio).initializationSegment
        let video = FragmentedMovie(video: Samples.format.video, audio: []).initializationSegment
        let records = stream.join(.records).preface.map { Array($0.readableBytesView) }
        #expect(records.count == 5)
        #expect(records[1] == record(7, flags: 0, time: .zero, content: video))
        #expect(records[2] == record(1, flags: 0, time: .zero, content: whole))
        #expect(stream.join(.fragments).preface.map { Array($0.readableBytesView) } == [chunk(whole)])
    }

    @Test func `a long stream is what its samples say, one after another`() throws {
        let movie = FragmentedMovie(video: Samples.format.video, audio: Samples.format.audio)
        var (viewer, _) = stream.join(.records)
        var (player, _) = stream.join(.fragments)
        for index in 0..<300 {
            let type: SampleType = index % 3 == 1 ? .audioApp : .video
            let data = (0..<index * 7 + 1).map { UInt8(truncatingIfNeeded: $0 &* index) }
            // The first two are from before time zero: they are not sent, and take no number.
            let sample = Self.sample(
                type, at: Int64(index - 2) * 20, data, isKeyframe: type == .audioApp || index % 30 == 2)
            publish(sample)
            let (record, fragment) = (received(&viewer), received(&player))
            guard index >= 2 else {
                #expect(record.isEmpty && fragment.isEmpty)
                continue
            }
            let header = try #require(
                movie.fragmentHeader(
                    type: type, presentationTime: sample.presentationTime, isKeyframe: sample.isKeyframe,
                    byteCount: data.count, sequenceNumber: UInt32(index - 1)))
            let content = header + data
            #expect(fragment == chunk(content))
            #expect(
                record
                    == self.record(
                        type == .video ? 2 : 3, flags: sample.isKeyframe ? 1 : 0, time: sample.presentationTime,
                        content: content, unitSize: data.count))
        }
    }

    private func record(
        _ kind: UInt8, flags: UInt8, time: MediaTime, content: [UInt8], unitSize: Int? = nil
    ) -> [UInt8] {
        let unitOffset = unitSize.map { UInt16(16 + content.count - $0) } ?? 0
        var header = integer(UInt32(12 + content.count))
        header += [kind, flags]
        header += integer(unitOffset)
        header += integer(time.nanoseconds / 1000)
        return chunk(header) + chunk(content)
    }

    /// RFC 9112, section 7.1.
    private func chunk(_ bytes: [UInt8]) -> [UInt8] {
        var chunk = Array((String(bytes.count, radix: 16) + "\r\n").utf8)
        chunk += bytes
        return chunk + [13, 10]
    }

    private func integer(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
