// What a handler knows about the broadcast before its first sample.
import KineMedia
import KineRelay

/// A broadcast as its extension sees it.
public struct BroadcastContext: Sendable, Equatable {
    /// The service's id.
    public var service = ""
    /// Frames a second at most.
    public var framesPerSecond = 0
    /// Bits a second of encoded frames as the user chose them, on average; nil: a quality was chosen instead.
    public var averageBitrate: Int?
    /// The format of the frames; nil: none come.
    public var video: SampleFormat?
    /// The format of the applications' audio; nil: it does not come.
    public var audioApp: SampleFormat?
    /// The format of the microphone's audio; nil: it does not come.
    public var audioMic: SampleFormat?
    /// Bytes of resident memory at which the extension is ended.
    public var memoryLimit = 0
    /// Seconds that `broadcastFinished` may take.
    public var finishSeconds = 5.0

    public init() {}

    init(_ start: ExtensionStart) {
        let stream = start.stream
        service = start.service
        framesPerSecond = stream.framesPerSecond
        memoryLimit = start.memoryLimit
        finishSeconds = start.finishSeconds
        video = stream.format(of: .video)
        audioApp = stream.format(of: .audioApp)
        audioMic = stream.format(of: .audioMic)
        if stream.frames == nil { averageBitrate = stream.video?.averageBitrate }
    }

    /// The format of one of the streams.
    public func format(of type: SampleBufferType) -> SampleFormat? {
        switch type {
        case .video: video
        case .audioApp: audioApp
        case .audioMic: audioMic
        }
    }
}
