// Shows a finished recording to the person, and returns what they did.

/// The end of a presentation.
public enum PreviewResult: Sendable, Equatable {
    /// The person is done, and has completed these activities. `saveToVideos` also stands for a recording, or a part of
    /// it, that was saved.
    case finished(Set<ShareActivityType>)
    /// The person has cancelled the preview.
    case cancelled
    /// The person has closed the window. Activities that were running were completed.
    case windowClosed
}

/// A recording to show to the person.
public struct PreviewRequest: Sendable {
    /// The app that recorded it.
    public let app: AppIdentity
    public let recording: RecordingPreview
    /// The app's own activities, offered beside the library's.
    public let activities: [any ShareActivity]
}

/// Shows a recording to the person, who plays, trims, saves and shares it by the methods of `RecordingPreview`.
public protocol PreviewPresenter: Sendable {
    /// Returns when the person is done. Throws `RecordingError(.unavailable, …)` if nothing can be shown. A cancelled task
    /// removes everything shown.
    func preview(_ request: PreviewRequest) async throws(RecordingError) -> PreviewResult
}

extension RecordingPreview {
    /// Shows the recording to the person, who plays, trims, saves and shares it, and returns when they are done.
    ///
    ///     if try await preview.present() == .cancelled { try await preview.discard() }
    ///
    /// A part that the person has put in the place of the recording is this recording from then on: `url` and `duration`
    /// change, and the old file is in the desktop's trash. One presentation at a time: the person would see the recording
    /// change under their hands. Throws `unavailable` if nothing can be shown, and `cancelled` if the task is cancelled.
    /// - Parameters:
    ///   - activities: the app's own; their types differ. Those of this library are always offered.
    ///   - presenter: shows the recording; nil: a `StudioPresenter` where there is a desktop and no terminal, else a
    ///     `TerminalPresenter`.
    public func present(
        activities: [any ShareActivity] = [], presenter: (any PreviewPresenter)? = nil
    ) async throws(RecordingError) -> PreviewResult {
        _ = try file()
        let request = PreviewRequest(app: try store.app, recording: self, activities: activities)
        return try await (presenter ?? UsualPresenter()).preview(request)
    }
}
