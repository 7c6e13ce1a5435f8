// The format of encoded video in `start`.
import FoundationEssentials
import KineMedia
import Testing

@testable import KineRings

@Suite struct EncodedVideoTests {
    private static let h264 = VideoFormat(
        parameterSets: .h264(H264ParameterSets(sequence: [103, 100, 0, 40, 172], picture: [104, 238, 60, 128])),
        size: PixelSize(width: 1280, height: 720))

    @Test func `every codec's parameter sets arrive as they were sent`() throws {
        for format in Self.newer + [Self.h264] {
            let video = StreamDescription.EncodedVideo(format, averageBitrate: 4_000_000)
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
