// Shows an app's recording in a window of the studio, and does with it what the person wants.
import FoundationEssentials
import Glibc
import KineMedia
import KineWire
import Synchronization

extension StudioPresenter: PreviewPresenter {
    public func preview(_ request: PreviewRequest) async throws(RecordingError) -> PreviewResult {
        let conversation: StudioConversation
        do throws(BroadcastError) {
            conversation = try await StudioConversation.begin(SheetApp(request.app), on: desktop)
        } catch {
            throw RecordingError(.unavailable, error.message)
        }
        defer { conversation.close() }
        let preview = StudioPreview(request, conversation)
        let reply = await conversation.ask(.recording(try preview.content())) { preview.receive($0) }
        switch reply {
        case .answer(.finished)?:
            // Work that the person has cancelled may still end.
            await preview.finish()
            return .finished(preview.completed)
        case .answer(.cancelled)?:
            await preview.stop()
            return .cancelled
        case .answer(.windowClosed)?:
            // A person who closes the window does not lose what they have begun.
            await preview.finish()
            return .windowClosed
        case nil:
            await preview.stop()
            throw .presentationCancelled
        case .answer(.notShown)?: throw RecordingError(.unavailable, Self.notShown.message)
        case .answer?: throw RecordingError(.unavailable, Self.misunderstood.message)
        case .failed(let sentence)?:
            await preview.stop()
            throw RecordingError(.unavailable, sentence)
        }
    }
}

/// The work that the person has begun in one window.
private final class StudioPreview: Sendable {
    /// Progress is sent in steps of a hundredth.
    private static let steps = 100.0

    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var completed: Set<ShareActivityType> = []
    }

    private let recording: RecordingPreview
    private let activities: [any ShareActivity]
    private let conversation: StudioConversation
    private let state = Mutex(State())

    init(_ request: PreviewRequest, _ conversation: StudioConversation) {
        (recording, activities, self.conversation) = (request.recording, request.activities, conversation)
    }

    /// The activities that were completed in the window.
    var completed: Set<ShareActivityType> { state.withLock { $0.completed } }

    /// The recording as it is now. Throws if it was discarded.
    func content() throws(RecordingError) -> SheetRecording {
        let own = activities.map { SheetActivity(id: $0.type.rawValue, title: $0.title) }
        return SheetRecording(
            path: try recording.file().path, isSaved: recording.isSaved,
            activities: UsualActivity.allCases.map(\.offer) + own)
    }

    func receive(_ work: StudioConversation.Work) {
        state.withLock { state in
            switch work {
            case .perform(let number, let task):
                state.tasks[number] = Task {
                    let outcome = await outcome(of: task, number)
                    self.state.withLock { $0.tasks[number] = nil }
                    conversation.send(.performed(task: number, outcome))
                }
            case .stop(let number): state.tasks[number]?.cancel()
            }
        }
    }

    /// Waits for the end of all tasks.
    func finish() async { for task in state.withLock({ $0.tasks }).values { await task.value } }

    /// Cancels all tasks, and waits for their end.
    func stop() async {
        for task in state.withLock({ $0.tasks }).values { task.cancel() }
        await finish()
    }

    private func outcome(of task: SheetTask, _ number: Int) async -> SheetOutcome {
        let last = Mutex(-1.0)
        let progress: @Sendable (Double) -> Void = { [conversation] fraction in
            let step = (fraction * Self.steps).rounded(.down) / Self.steps
            let isNew = last.withLock { last in
                defer { last = step }
                return last != step
            }
            if isNew { conversation.send(.progress(task: number, step)) }
        }
        do throws(RecordingError) {
            guard let performed = try await perform(task, progress) else { return .cancelled }
            if let type = performed.completed {
                state.withLock { _ = $0.completed.insert(type) }
                recording.completed.withLock { _ = $0.insert(type) }
            }
            return .done
        } catch {
            return error.code == .cancelled ? .cancelled : .failed(error.message)
        }
    }

    /// The activity that was completed; nil: it was other work.
    private struct Performed { var completed: ShareActivityType? }

    /// Nil if the person has cancelled it.
    private func perform(
        _ task: SheetTask, _ progress: @escaping @Sendable (Double) -> Void
    ) async throws(RecordingError) -> Performed? {
        switch task {
        case .share(let id, let address):
            let activity: any ShareActivity
            if let usual = UsualActivity(rawValue: id) {
                activity = try usual.make(to: address)
            } else if let own = activities.first(where: { $0.type.rawValue == id }) {
                activity = own
            } else {
                throw RecordingError(.failedToShare, "The app has no such activity; choose another one.")
            }
            guard case .completed(let type, _) = try await share(activity, progress) else { return nil }
            return Performed(completed: type)
        case .save(let path, let replacing):
            try await recording.save(to: URL(filePath: path), replacing: replacing)
            conversation.send(.show(.recording(try content())))
            return Performed(completed: .saveToVideos)
        case .trim(let start, let end, let path, let replacing):
            if let path, try recording.isFile(at: path) {
                throw RecordingError(
                    .failedToSave, "\(path) is the recording itself; use Replace to put the cut in its place.")
            }
            // The last frame's end may be a little after the duration that the take has reported.
            let isWhole = Duration(end) >= recording.duration
            let excerpt = try await recording.trim(
                from: Duration(start), to: isWhole ? nil : Duration(end), progress: progress)
            do throws(RecordingError) {
                if let path {
                    try await excerpt.save(to: URL(filePath: path), replacing: replacing)
                    return Performed(completed: .saveToVideos)
                }
                try await recording.replace(with: excerpt)
            } catch {
                if let file = excerpt.url { unlink(file.path) }
                throw error
            }
            conversation.send(.show(.recording(try content())))
            return Performed()
        }
    }

    private func share(
        _ activity: some ShareActivity, _ progress: @escaping @Sendable (Double) -> Void
    ) async throws(RecordingError) -> ShareResult {
        try await recording.share(via: activity) { progress($0.fraction) }
    }
}
