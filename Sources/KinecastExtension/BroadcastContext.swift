// What a handler is told about the broadcast before its first sample.
import KineMedia
import KineRelay

/// A broadcast as its extension sees it.
public struct BroadcastContext: Sendable, Equatable {
    /// The service's id.
    public var service = ""
    /// Pictures a second at most.
    public var framesPerSecond = 0
    /// Bits a second of encoded pictures as the user chose them, on average; nil where a quality was chosen instead.
    public var averageBitRate: Int?
    /// The format of the pictures; nil: none come.
    public var video: SampleFormat?
    /// The format of the applications' sound; nil: it does not come.
    public var audioApp: SampleFormat?
    /// The format of the microphone's sound; nil: it does not come.
    public var audioMic: SampleFormat?
    /// Bytes of resident memory at which the extension is ended.
    public var memoryLimit = 0
    /// Seconds that `broadcastFinished` may take.
    public var finishSeconds = 5.0

    public init() {}

    init(_ start: ExtensionStart) {
        service = start.service
        framesPerSecond = start.framesPerSecond
        memoryLimit = start.memoryLimit
        finishSeconds = start.finishSeconds
        if let pictures = start.pictures {
            video = .raw(pictures.pixelFormat, size: pictures.visibleSize)
        } else if let encoded = start.video {
            video = .encoded(encoded.format)
            averageBitRate = encoded.averageBitRate
        }
        for sound in start.sounds {
            switch sound.type {
            case .audioApp: audioApp = Self.format(of: sound)
            case .audioMic: audioMic = Self.format(of: sound)
            case .video: break
            }
        }
    }

    /// The format of one of the streams.
    public func format(of type: SampleBufferType) -> SampleFormat? {
        switch type {
        case .video: video
        case .audioApp: audioApp
        case .audioMic: audioMic
        }
    }

    private static func format(of sound: ExtensionStart.Sound) -> SampleFormat {
        switch sound.form {
        case .pcm: .pcm(sampleRate: sound.sampleRate, channels: sound.channels)
        case .aac:
            .aac(
                AudioTrackFormat(
                    type: sound.type, sampleRate: sound.sampleRate, channels: sound.channels, bitrate: sound.bitrate,
                    audioSpecificConfig: sound.audioSpecificConfig, samplesPerAccessUnit: sound.samplesPerAccessUnit,
                    primingSamples: sound.primingSamples))
        }
    }
}
