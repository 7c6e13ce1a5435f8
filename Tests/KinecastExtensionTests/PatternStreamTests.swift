// A decoder accepts the encoded frames of a rehearsal.
import CoreTesting
import KineMeasure
import KineMedia
import Testing

@testable import KinecastExtensionTesting

@Suite(.tags(.real)) struct PatternStreamTests {
    @Test(arguments: [
        PixelSize(width: 64, height: 48), PixelSize(width: 90, height: 50), PixelSize(width: 640, height: 360),
    ])
    func `a decoder accepts the pattern`(size: PixelSize) throws {
        var stream = PatternStream(size: size)
        let startCode: [UInt8] = [0, 0, 0, 1]
        guard case .h264(let sets) = stream.format.parameterSets else {
            Issue.record("the pattern is no H.264")
            return
        }
        var bytes = startCode + sets.sequence + startCode + sets.picture
        for number in 0..<40 {
            bytes += startCode + stream.next(isKeyframe: number % 20 == 0).dropFirst(4)
        }
        let folder = try TemporaryDirectory()
        let path = try folder.write(bytes, to: "pattern.h264")
        // One line for each frame, and one for each complaint.
        let lines = try Tool.output(
            "sh",
            ["-c", "exec ffmpeg -v error -f h264 -i \"$0\" -f framecrc -fps_mode passthrough - 2>&1", path]
        ).split(separator: "\n")
        #expect(lines.contains("#dimensions 0: \(size.width)x\(size.height)"))
        let frames = lines.filter { !$0.hasPrefix("#") }
        #expect(frames.count == 40 && frames.allSatisfy { $0.hasPrefix("0,") }, "\(frames)")
        // The frame changes only at keyframes.
        #expect(Set(frames.compactMap { $0.split(separator: ",").last }).count == 2)
    }
}
