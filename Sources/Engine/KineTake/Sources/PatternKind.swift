// The test pattern: needs nothing of the machine.
import KineCapture
import KineMedia
import KinePlatform

package struct PatternKind: SourceKind {
    let size: PixelSize

    package init?(_ request: SourceRequest) {
        guard case .pattern(let size) = request.source else { return nil }
        self.size = size
    }

    package func open(
        _ video: TakeConfiguration.Video, _ cancellation: Cancellation
    ) throws(VideoSourceError) -> any VideoSourceOpening {
        ImmediateOpening { () throws(VideoSourceError) in
            try PatternSource(size: size, framesPerSecond: video.framesPerSecond, period: video.framePeriod)
        }
    }

    package var annotation: [String: String] { [SourceAnnotation.source: "pattern"] }
    package var makesAudio: Bool { true }
}
