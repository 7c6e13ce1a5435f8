// Activities that copy a recording into a directory.
import FoundationEssentials
import KineContainers
import KinePlatform
import SystemPackage

/// Copies the recording into the user's directory for videos, or into the home directory if there is none.
public struct SaveToVideosActivity: ShareActivity {
    public let type = ShareActivityType.saveToVideos
    public let title = "Save to Videos"
    /// Nil: the user's directory for videos.
    var directory: URL?

    public init() {}

    public func perform(
        with recording: SharedRecording, progress: @escaping @Sendable (ShareProgress) -> Void
    ) async throws -> URL? {
        guard let directory = directory ?? UserDirectories.forRecordings.first.map({ URL(filePath: $0) }) else {
            throw RecordingError(.unavailable, "This user has no home directory; copy the recording elsewhere.")
        }
        return try await CopyActivity(to: directory).perform(with: recording, progress: progress)
    }
}

/// Copies the recording into a directory. No file is replaced: the copy gets a number. Only this user may read it.
public struct CopyActivity: ShareActivity {
    public let type = ShareActivityType.copy
    public let title = "Copy"
    private let directory: URL

    public init(to directory: URL) { self.directory = directory }

    public func perform(
        with recording: SharedRecording, progress: @escaping @Sendable (ShareProgress) -> Void
    ) async throws -> URL? {
        try Task.checkCancellation()
        let place = FilePath(try RecordingPreview.path(of: directory))
        let target = place.appending(recording.suggestedName).string
        let cancellation = Cancellation()
        let path = try await BlockingCall.run("kine-copy") { () throws(RecordingError) in
            do throws(StorageError) {
                return try DiskFile.copy(
                    recording.url.path, to: target, ifTaken: .number, permissions: .ownerOnly
                ) { bytes in
                    progress(ShareProgress(completedBytes: Int(bytes), totalBytes: recording.byteCount))
                    return !cancellation.isCancelled
                }
            } catch {
                throw RecordingError(error)
            }
        } onCancel: {
            cancellation.cancel()
        }
        guard let path else { throw CancellationError() }
        return URL(filePath: path)
    }
}

extension ShareActivity where Self == SaveToVideosActivity {
    /// Copies the recording into the user's directory for videos.
    public static var saveToVideos: SaveToVideosActivity { SaveToVideosActivity() }
}

extension ShareActivity where Self == CopyActivity {
    /// Copies the recording into this directory.
    public static func copy(to directory: URL) -> CopyActivity { CopyActivity(to: directory) }
}
