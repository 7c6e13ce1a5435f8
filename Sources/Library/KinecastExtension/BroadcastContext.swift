// The properties of a broadcast, available to a handler before the first sample.
import KinePlatform
import KineRings
import KineWire
import SystemPackage

/// The service, formats and limits of a broadcast.
public struct BroadcastContext: Sendable, Equatable {
    /// The service's id.
    public var service = ""
    /// The highest frame rate.
    public var framesPerSecond = 0
    /// The user's average bitrate for encoded frames, in bits a second; nil if a quality was chosen instead.
    public var averageBitrate: Int?
    /// The format of the first frames; nil if the handler gets none. Each sample has its own.
    public var video: SampleFormat?
    /// The format of the applications' audio; nil if the handler gets none.
    public var audioApp: SampleFormat?
    /// The format of the microphone's audio; nil if the handler gets none. While the microphone is off its audio is
    /// silence, so that its times have no gap.
    public var audioMic: SampleFormat?
    /// The extension is ended if its resident memory exceeds this many bytes.
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

    /// The format of one of the streams; nil if the handler gets none.
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
    /// The descriptor for a setting with `"file": true`, or the bound, listening and non-blocking socket for the
    /// setting that `listen` names. Nil if the setting is not set or the file cannot be opened. The process owns it.
    public static func descriptor(for key: String) -> Int32? {
        ProcessEnvironment.value(PassedDescriptors.variable)?
            .split(separator: ":", omittingEmptySubsequences: false).firstIndex(of: key[...])
            .map { PassedDescriptors.first + Int32($0) }
    }

    /// The contents of a setting's file, at most 4 MiB; nil if there is none or it cannot be read.
    public static func contents(for key: String) -> [UInt8]? {
        descriptor(for: key).flatMap { FileDescriptor(rawValue: $0).contents(limit: 4 << 20) }
    }

    /// The absolute path of the directory that the extension may write to. Its files are kept for the next broadcast.
    /// Nil for Kinecast's own services, and if the user has no home directory.
    public static var dataDirectory: String? { ProcessEnvironment.value(PassedDescriptors.dataVariable) }

    /// Forbids this process to execute programs from now on. For extensions that never execute one.
    public static func forbidExecution() { Sandbox.forbidExecution() }
}
