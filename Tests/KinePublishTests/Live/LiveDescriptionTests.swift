// What the page is told of each codec.
import KineContainers
import KineMedia
import Testing

@testable import KinePublish

@Suite struct LiveDescriptionTests {
    private func description(_ sets: VideoParameterSets) -> LiveDescription {
        let video = VideoFormat(parameterSets: sets, size: PixelSize(width: 640, height: 360))
        let format = LiveFormat(video: video, audio: [Samples.audio(.audioApp)])
        return LiveDescription(
            title: "A", format: format, movie: FragmentedMovie(video: format.video, audio: format.audio))
    }

    @Test func `the page gets the codec by name, and the record that its decoder takes`() {
        let h264 = description(.h264(H264ParameterSets(sequence: [0x67, 0x64, 0, 0x28], picture: [0x68])))
        #expect(h264.video?.codec == "avc1.640028")
        #expect(h264.mediaType == #"video/mp4; codecs="avc1.640028,mp4a.40.2""#)
        let hevc = description(.hevc(HEVCParameterSets(video: [0x40, 1], sequence: [0x42, 1], picture: [0x44, 1])))
        #expect(hevc.video?.codec.hasPrefix("hvc1.1.6.L") == true)
        #expect(hevc.video?.description.prefix(2) == [1, 1])
        let av1 = description(.av1(AV1SequenceHeader(unit: [0x0a, 0])))
        #expect(av1.video?.codec.hasPrefix("av01.0.") == true && av1.mediaType.contains("av01.0."))
        #expect(av1.video?.description.prefix(1) == [0x81])
    }
}
