// The ways to share a recording: the library's, and the app's own.
import FoundationEssentials
import Glibc
import KinePlatform
import SystemPackage

/// The name of a kind of activity. Kinecast's begin with `org.kinecast.`; an app's should begin with its identifier.
public struct ShareActivityType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let saveToVideos = ShareActivityType(rawValue: "org.kinecast.save-to-videos")
    public static let copy = ShareActivityType(rawValue: "org.kinecast.copy")
    public static let open = ShareActivityType(rawValue: "org.kinecast.open")
    public static let email = ShareActivityType(rawValue: "org.kinecast.email")
    public static let upload = ShareActivityType(rawValue: "org.kinecast.upload")
}

/// One way to share a recording. `RecordingPreview.share(via:)` carries it out.
///
/// An app adds its own with a type that conforms:
///
///     struct PostToForum: ShareActivity {
///         let type = ShareActivityType(rawValue: "org.example.App.post")
///         let title = "Post to the Forum"
///         func perform(with recording: SharedRecording, progress: …) async throws -> URL? { … }
///     }
public protocol ShareActivity: Sendable {
    var type: ShareActivityType { get }
    /// A few words for a menu.
    var title: String { get }

    /// Shares the recording, whose file stays in place. Throws `CancellationError` if the person or the task cancels.
    /// - Parameters:
    ///   - recording: the file, which the activity may use only until this returns.
    ///   - progress: may be called from any thread, at any rate.
    /// - Returns: the new location of the recording, if it has one.
    func perform(
        with recording: SharedRecording, progress: @escaping @Sendable (ShareProgress) -> Void
    ) async throws -> URL?
}

/// The recording that an activity shares.
public struct SharedRecording: Sendable, Equatable {
    public let url: URL
    public let duration: Duration
    /// The file's size in bytes.
    public let byteCount: Int
    /// A name for copies: `Recording 2026-02-14 16.05.09.mp4`.
    public let suggestedName: String
}

extension SharedRecording {
    /// A file as it is on the disk. Throws if it is not there.
    ///
    /// - Parameter duration: zero: not known, as of a video that Kinecast did not make.
    package init(_ file: URL, duration: Duration = .zero) throws(RecordingError) {
        var status = stat()
        guard stat(file.path, &status) == 0 else {
            throw RecordingError(
                .failedToShare, "\(file.path) is not there any more; put it back, or record again.")
        }
        let time = LocalTime.text("%Y-%m-%d %H.%M.%S", at: status.st_mtim.tv_sec)
        self.init(
            url: file, duration: duration, byteCount: status.st_size,
            suggestedName: "Recording \(time).\(FilePath(file.path).extension ?? "mp4")")
    }
}

public struct ShareProgress: Sendable, Equatable {
    public let completedBytes: Int
    public let totalBytes: Int

    public init(completedBytes: Int, totalBytes: Int) {
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
    }

    /// From 0 to 1.
    public var fraction: Double { totalBytes > 0 ? Double(completedBytes) / Double(totalBytes) : 1 }
}

/// The result of sharing that did not fail.
public enum ShareResult: Sendable, Equatable {
    /// `url`: the new location of the recording, if it has one.
    case completed(ShareActivityType, url: URL?)
    case cancelled(ShareActivityType)
}

extension RecordingPreview {
    /// The activities that were completed with this recording.
    public var completedActivities: Set<ShareActivityType> { completed.withLock { $0 } }

    /// Shares the recording, which stays in place, and returns the result. Cancelling the task cancels the activity;
    /// the result is then `cancelled`, not an error. Throws `failedToShare` if the activity failed.
    ///
    ///     let result = try await preview.share(via: .upload(to: url)) { print($0.fraction) }
    public func share(
        via activity: some ShareActivity, progress: @escaping @Sendable (ShareProgress) -> Void = { _ in }
    ) async throws(RecordingError) -> ShareResult {
        let recording = try SharedRecording(file(), duration: duration)
        do {
            let url = try await activity.perform(with: recording, progress: progress)
            completed.withLock { _ = $0.insert(activity.type) }
            return .completed(activity.type, url: url)
        } catch is CancellationError {
            return .cancelled(activity.type)
        } catch let error as RecordingError {
            throw error
        } catch {
            throw RecordingError(.failedToShare, "“\(activity.title)” failed: \(error)")
        }
    }
}
