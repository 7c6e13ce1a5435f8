// The place that a take is recorded to: a file, or its client's standard output.
import FoundationEssentials
import KineContainers
import KineMedia
import SystemPackage

enum RecordingTarget {
    case file(DiskFile)
    case stream(ByteStream)

    /// Creates a file of a configuration that has an output. An engine has its client's standard output as its own.
    ///
    /// - Parameter part: the number of the file in a split recording, from 1.
    init(_ configuration: TakeConfiguration, part: Int = 1) throws(StorageError) {
        guard let path = configuration.file(part: part) else {
            self = .stream(ByteStream(.standardOutput, path: TakeConfiguration.standardOutput))
            return
        }
        self = .file(
            try DiskFile.create(
                path, ifTaken: configuration.isOutputNumbered ? .number : configuration.overwrite ? .replace : .refuse,
                isPrivate: configuration.isOutputPrivate))
    }

    /// In the form of `TakeConfiguration.output`.
    var path: String {
        switch self {
        case .file(let file): file.path
        case .stream(let stream): stream.path
        }
    }

    /// Nanoseconds between two fragments. A reader waits for them, and a disk does not.
    var fragmentInterval: Int64 {
        switch self {
        case .file: 500_000_000
        case .stream: 100_000_000
        }
    }

    /// The longest time that a frame may stand before it is captured again, in nanoseconds; nil: no limit. A stream's last frame waits
    /// for the next one.
    var longestStill: Int64? {
        switch self {
        case .file: nil
        case .stream: 250_000_000
        }
    }

    /// Begins the recording. The returned thread makes the file durable while the writer goes on.
    func open(
        _ video: VideoFormat, _ audio: [AudioFormat], hasInput: Bool
    ) throws(StorageError) -> (any MovieWriter, SyncThread?) {
        let now = Int64(Date().timeIntervalSince1970)
        switch self {
        case .file(let file):
            let synchronizer = try file.synchronizer()
            let writer = try MP4Writer(
                file: file, video: video, audio: audio, hasInput: hasInput, creationTime: now)
            return (writer, SyncThread(synchronizer.synchronize))
        case .stream(let stream):
            let writer = try MP4StreamWriter(
                stream: stream, video: video, audio: audio, hasInput: hasInput, creationTime: now)
            return (writer, nil)
        }
    }

    /// Deletes the file of a take that never began.
    func discard() {
        if case .file(let file) = self { file.discard() }
    }
}

/// Decides which frames go into the file's queue. Pure.
///
/// While the queue is full, frames are left out up to the next keyframe, since none before it could be decoded. In the file the
/// last frame before the gap lasts until then. Audio goes on.
///
/// Leaves frames out of the file when the disk is behind and the encoder cannot wait, because viewers watch live.
struct RecordingAdmission: Sendable, Equatable {
    /// Bytes of the queue.
    let limit: Int
    /// Frames left out so far.
    private(set) var leftOut = 0
    private var gap = DecodingGap.none

    init(limit: Int) { self.limit = limit }

    /// Whether the next frame goes into the queue, which holds `queued` bytes.
    mutating func admits(isKeyframe: Bool, queued: Int) -> Bool {
        if queued < limit && (isKeyframe || gap == .none) {
            gap = .none
            return true
        }
        leftOut += 1
        // The requested keyframe came too early: requests another.
        if isKeyframe || gap == .none { gap = .unasked }
        return false
    }

    /// Whether a keyframe should be made now: true once for each gap, when most of the queue is empty again.
    mutating func consumeKeyframeRequest(queued: Int) -> Bool {
        queued <= limit / 4 && gap.consumeKeyframeRequest()
    }
}
