// Offers at the terminal what can be done with a recording. Playing and trimming need a window.
import FoundationEssentials
import KineMedia

extension TerminalPresenter: PreviewPresenter {
    public func preview(_ request: PreviewRequest) async throws(RecordingError) -> PreviewResult {
        let recording = request.recording
        let activities = UsualActivity.allCases.map(\.offer.title) + request.activities.map(\.title)
        var completed: Set<ShareActivityType> = []
        var lines = ["\(request.app.name ?? request.app.identifier) has recorded \(recording)."]
        lines += activities.enumerated().map { "  \($0 + 1)  \($1)" }
        while let answer = try await answer(lines, "Number, Enter when you are done, or q to cancel: "), answer != "q" {
            if answer.isEmpty { return .finished(completed) }
            guard let number = Int(answer), activities.indices.contains(number - 1) else {
                lines = ["Type a number from 1 to \(activities.count), press Enter, or type q."]
                continue
            }
            do throws(RecordingError) {
                let usual = UsualActivity.allCases
                let activity =
                    number > usual.count
                    ? request.activities[number - usual.count - 1] : try await make(usual[number - 1])
                let title = activity.title
                if case .completed(let type, let url) = try await Self.share(recording, activity) {
                    completed.insert(type)
                    let file = url.flatMap { $0.isFileURL ? " (\($0.path))" : nil }
                    lines = ["\(title): done\(file ?? "")."]
                } else {
                    lines = ["\(title): cancelled."]
                }
            } catch {
                if Task.isCancelled { throw .presentationCancelled }
                lines = [error.message]
            }
        }
        return .cancelled
    }

    private func make(_ usual: UsualActivity) async throws(RecordingError) -> any ShareActivity {
        try usual.make(to: usual.offer.takesAddress ? try await answer([], "Address: ") : nil)
    }

    private static func share(
        _ recording: RecordingPreview, _ activity: some ShareActivity
    ) async throws(RecordingError) -> ShareResult { try await recording.share(via: activity) }

    /// Nil at the end of input.
    private func answer(_ lines: [String], _ prompt: String) async throws(RecordingError) -> String? {
        do throws(BroadcastError) {
            return try await TerminalDialog.ask(on: path, lines, prompt, isSecret: false)
        } catch {
            throw error.code == .cancelled
                ? .presentationCancelled : RecordingError(.unavailable, error.message)
        }
    }
}
