// Sharing a recording.
import FoundationEssentials
import Glibc
import KinePlatform

extension RecordingPreview {
    /// The activities that were completed with this recording.
    public var completedActivities: Set<ShareActivityType> { completed.withLock { $0 } }

    /// Shares the recording, which stays where it is, and reports what was done. Cancelling the task cancels the activity, which is
    /// reported, and is no error. Throws `failedToShare` where it failed.
    ///
    ///     let result = try await preview.share(via: .upload(to: url)) { print($0.fraction) }
    public func share(
        via activity: some ShareActivity, progress: @escaping @Sendable (ShareProgress) -> Void = { _ in }
    ) async throws(RecordingError) -> ShareResult {
        let recording = try sharedRecording()
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

    private func sharedRecording() throws(RecordingError) -> SharedRecording {
        let file = try file()
        var status = stat()
        guard stat(file.path, &status) == 0 else {
            throw RecordingError(
                .failedToShare, "\(file.path) is not there any more; put it back, or record again.")
        }
        let time = LocalTime.text("%Y-%m-%d %H.%M.%S", at: status.st_mtim.tv_sec)
        return SharedRecording(
            url: file, duration: duration, byteCount: status.st_size, suggestedName: "Recording \(time).mp4")
    }
}
