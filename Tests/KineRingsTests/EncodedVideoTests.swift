// Encoded video in `start`, between engines and extensions of different age.
import FoundationEssentials
import KineMedia
import KineWire
import Testing

@testable import KineRings

@Suite struct EncodedVideoTests {
    /// The keys that an engine wrote before codecs had names.
    private static let recorded = """
        {"start":{"_0":{"service":"live","setupInfo":{"title":"A"},"framesPerSecond":30,"video":{"sequenceParameterSet":\
        [103,100,0,40,172],"pictureParameterSet":[104,238,60,128],"size":{"width":1280,"height":720},\
        "averageBitRate":4000000,"isAdjustable":true},"sounds":[],"sampleRingBytes":2097152,"memoryLimit":52428800,\
        "finishSeconds":5,"understandsLive":true}}}
        """

    private static let h264 = VideoFormat(
        parameterSets: .h264(H264ParameterSets(sequence: [103, 100, 0, 40, 172], picture: [104, 238, 60, 128])),
        size: PixelSize(width: 1280, height: 720))

    /// The keys that an extension read before codecs had names.
    private struct OlderEncodedVideo: Codable, Equatable {
        var sequenceParameterSet: [UInt8]
        var pictureParameterSet: [UInt8]
        var size: PixelSize
        var averageBitrate: Int?
        var isAdjustable: Bool?

        private enum CodingKeys: String, CodingKey {
            case sequenceParameterSet, pictureParameterSet, size, isAdjustable
            case averageBitrate = "averageBitRate"
        }
    }

    @Test func `a recorded start without a codec is H.264`() throws {
        let message = try JSONDecoder().decode(ExtensionRequest.self, from: Data(Self.recorded.utf8))
        guard case .start(let start) = message else {
            Issue.record("\(message)")
            return
        }
        #expect(start.stream.video == .init(Self.h264, averageBitrate: 4_000_000))
    }

    @Test func `one that says nothing of adjusting is from an engine that cannot`() throws {
        let json = #"{"sequenceParameterSet":[1],"pictureParameterSet":[2],"size":{"width":2,"height":2}}"#
        let video = try JSONDecoder().decode(StreamDescription.EncodedVideo.self, from: Data(json.utf8))
        #expect(video.isAdjustable == nil && video.averageBitrate == nil)
    }

    @Test func `an extension of yesterday reads today's H.264`() throws {
        let today = try JSONEncoder().encode(StreamDescription.EncodedVideo(Self.h264, averageBitrate: 4_000_000))
        let older = try JSONDecoder().decode(OlderEncodedVideo.self, from: today)
        #expect(
            older
                == OlderEncodedVideo(
                    sequenceParameterSet: [103, 100, 0, 40, 172], pictureParameterSet: [104, 238, 60, 128],
                    size: PixelSize(width: 1280, height: 720), averageBitrate: 4_000_000, isAdjustable: true))
    }

    @Test func `an extension of yesterday takes no other codec for H.264`() throws {
        for format in Self.newer {
            let today = try JSONEncoder().encode(StreamDescription.EncodedVideo(format))
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(OlderEncodedVideo.self, from: today) }
        }
    }

    @Test func `every codec's parameter sets arrive as they were sent`() throws {
        for format in Self.newer + [Self.h264] {
            let video = StreamDescription.EncodedVideo(format, averageBitrate: nil, isAdjustable: false)
            let json = try JSONEncoder().encode(video)
            #expect(try JSONDecoder().decode(StreamDescription.EncodedVideo.self, from: json) == video)
        }
    }

    @Test func `an unknown codec is refused`() {
        let json =
            #"{"codec":"vvc","sequenceParameterSet":[1],"pictureParameterSet":[2],"size":{"width":2,"height":2}}"#
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(StreamDescription.EncodedVideo.self, from: Data(json.utf8))
        }
    }

    private static let newer = [
        VideoFormat(
            parameterSets: .hevc(HEVCParameterSets(video: [64, 1], sequence: [66, 1], picture: [68, 1])),
            size: PixelSize(width: 64, height: 48)),
        VideoFormat(
            parameterSets: .av1(AV1SequenceHeader(unit: [10, 1, 0])), size: PixelSize(width: 64, height: 48)),
    ]
}
