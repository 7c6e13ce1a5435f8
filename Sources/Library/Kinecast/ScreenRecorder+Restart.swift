// Finds recordings of an earlier process of the app: running ones, and unsaved ones.
import FoundationEssentials
import KineClient
import KineTakes
import KineWire

extension ScreenRecorder {
    /// Reattaches to the recording that an earlier process of this app started with `outlivesApp`, as if this recorder
    /// had started it. Chooses the newest; nil if none runs.
    @discardableResult
    public func resumeControl() async throws(RecordingError) -> Start? {
        try contents.withLock { contents throws(RecordingError) in
            guard case .idle = contents.state else { throw .alreadyRecording }
            contents.state = .starting
        }
        do throws(RecordingError) {
            let active = try await followNewest()
            if active == nil { contents.withLock { $0.state = .idle } }
            return active?.start
        } catch {
            contents.withLock { $0.state = .idle }
            throw error
        }
    }

    private func followNewest() async throws(RecordingError) -> Active? {
        for take in try await Self.takes().running.reversed() {
            guard let file = take.output, try store.contains(file) else { continue }
            // A take that has ended meanwhile is left out: `unsavedRecordings` lists its file.
            guard let session = try? await EngineSession.follow(take, progress: false),
                let status = try? await session.status(),
                var active = try? await active(
                    session, file: URL(filePath: file), hasClipBuffer: take.clipBuffer != nil)
            else { continue }
            active.isPaused = status.phase == .paused
            watch(active)
            return active
        }
        return nil
    }

    /// The app's recordings that were neither saved nor discarded, oldest first. They include those of an app that was
    /// killed, and excerpts made by `RecordingPreview.trim`. A file whose engine died is recovered first; one that is
    /// being written or cannot be recovered is left out.
    public func unsavedRecordings() async throws(RecordingError) -> [RecordingPreview] {
        let running = Set(try await Self.takes().running.compactMap(\.output))
        var previews: [RecordingPreview] = []
        for file in try store.files() where !running.contains(file.path) {
            guard (try? await KnownTakes.recover(file.path)) != nil,
                let preview = try? await RecordingPreview.open(file, in: store)
            else { continue }
            previews.append(preview)
        }
        return previews
    }

    static func takes() async throws(RecordingError) -> TakeRegistry.Listing {
        try await RecordingError.translating { () async throws(ClientError) in try await KnownTakes.list() }
    }
}
