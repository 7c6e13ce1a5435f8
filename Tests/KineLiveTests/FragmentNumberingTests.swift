// Which number a sample's fragment has.
import KineLive
import KineMedia
import Testing

@Suite struct FragmentNumberingTests {
    @Test func `all tracks are numbered together, and what has no fragment takes no number`() {
        var numbering = FragmentNumbering()
        let samples: [(SampleType, SampleCodec, Int64)] = [
            (.audioApp, .audio(.aac), -21), (.video, .video(.h264), 0), (.audioApp, .audio(.aac), 0),
            (.audioMic, .audio(.aac), -1), (.video, .video(.h264), 33), (.video, .video(.h264), 20),
        ]
        let numbers = samples.map { type, codec, milliseconds in
            numbering.number(
                LiveSample(type: type, codec: codec, presentationTime: .milliseconds(milliseconds), isKeyframe: true))
        }
        #expect(numbers == [nil, 1, 2, nil, 3, 4])
    }
}
