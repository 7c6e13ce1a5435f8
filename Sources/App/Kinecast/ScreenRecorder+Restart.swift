// The recordings of an app that ran before: those that still run, and those whose files nobody has saved.
import FoundationEssentials
import KineClient
import KinePlatform
import KineWire

extension ScreenRecorder {
    /// Takes up the recording that an earlier process of this app started with `outlivesApp`, as if this recorder had started it. Nil
    /// where none runs. Of several, it is the newest.
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
            // A take that has ended since the list was read is left out: its file is among those that are not saved.
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

    /// The app's recordings that were neither saved nor discarded, oldest first: those of an app that was killed are among them, and
    /// excerpts that `RecordingPreview.trim` made. A file whose engine died is finished first; one that is being written, or cannot be
    /// finished, is left out.
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

    private static func takes() async throws(RecordingError) -> TakeRegistry.Listing {
        do throws(ClientError) {
            return try await KnownTakes.list()
        } catch {
            throw RecordingError(error)
        }
    }
}
