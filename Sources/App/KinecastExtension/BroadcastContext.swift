// The properties of a broadcast, which a handler knows before the first sample.
import KineMedia
import KinePlatform
import KineRings
import KineWire
import SystemPackage

/// The service, formats and limits of a broadcast.
public struct BroadcastContext: Sendable, Equatable {
    /// The service's id.
    public var service = ""
    /// Frames a second at most.
    public var framesPerSecond = 0
    /// The user's average bitrate for encoded frames, in bits a second; nil if a quality was chosen instead.
    public var averageBitrate: Int?
    /// The format of the frames; nil if none come.
    public var video: SampleFormat?
    /// The format of the applications' audio; nil if it does not come.
    public var audioApp: SampleFormat?
    /// The format of the microphone's audio; nil if it does not come. While the microphone is off its audio is silence, so that its times go
    /// on without a gap.
    public var audioMic: SampleFormat?
    /// Bytes of resident memory above which the extension is ended.
    public var memoryLimit = 0
    /// The time that `broadcastFinished` may take.
    public var finishTimeout = Duration.seconds(5)

    public init() {}

    init(_ start: ExtensionStart) {
        let stream = start.stream
        service = start.service
        framesPerSecond = stream.framesPerSecond
        memoryLimit = start.memoryLimit
        finishTimeout = .seconds(min(max(start.finishSeconds, 0), 3600))
        video = stream.format(of: .video)
        audioApp = stream.format(of: .audioApp)
        audioMic = stream.format(of: .audioMic)
        if stream.frames == nil { averageBitrate = stream.video?.averageBitrate }
    }

    /// The format of one of the streams; nil if it does not come.
    public func format(of type: SampleBufferType) -> SampleFormat? {
        switch type {
        case .video: video
        case .audioApp: audioApp
        case .audioMic: audioMic
        }
    }
}

/// The descriptors that the engine passes on, by the key of their setting.
public enum PassedFiles {
    /// The descriptor for a setting with `"file": true`, or for the setting that `listen` names a socket that is bound, listening
    /// and not blocking. Nil if the setting is not set or the file cannot be opened. It belongs to the process.
    public static func descriptor(for key: String) -> Int32? {
        ProcessEnvironment.value(PassedDescriptors.variable)?
            .split(separator: ":", omittingEmptySubsequences: false).firstIndex(of: key[...])
            .map { PassedDescriptors.first + Int32($0) }
    }

    /// The contents of a setting's file, at most 4 MiB; nil if there is none or it cannot be read.
    public static func contents(for key: String) -> [UInt8]? {
        descriptor(for: key).flatMap { FileDescriptor(rawValue: $0).contents(limit: 4 << 20) }
    }

    /// The absolute path of the directory that the extension may write to. Its files stay for the next broadcast. Nil for services
    /// that come with Kinecast, and if the user has no home.
    public static var dataDirectory: String? { ProcessEnvironment.value(PassedDescriptors.dataVariable) }

    /// Forbids this process to execute programs from now on. For extensions that execute none.
    public static func forbidExecution() { Sandbox.forbidExecution() }
}
