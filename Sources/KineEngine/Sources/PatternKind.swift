// The test pattern: needs nothing of the machine.
import KineCapture
import KineControl
import KineMedia
import KinePlatform

struct PatternKind: SourceKind {
    let size: PixelSize

    init?(_ request: SourceRequest) {
        guard case .pattern(let size) = request.source else { return nil }
        self.size = size
    }

    func open(
        _ video: TakeConfiguration.Video, _ cancellation: Cancellation
    ) throws(VideoSourceError) -> any VideoSourceOpening {
        ImmediateOpening { () throws(VideoSourceError) in
            try PatternSource(size: size, framesPerSecond: video.framesPerSecond, period: video.framePeriod)
        }
    }

    var annotation: [String: String] { [SourceAnnotation.source: "pattern"] }
    var makesAudio: Bool { true }
}
