// Recording to a file: start, pause, stop.
import FoundationEssentials
import Glibc
import KineClient
import KineMedia
import KinePlatform
import KineWire
import SystemPackage

extension ScreenRecorder {
    /// Starts a recording. Returns when its first frame exists.
    ///
    /// - Parameter outlivesApp: whether the recording goes on when the app ends or is killed. A restarted app controls
    ///   it with `resumeControl()`, and `kinecast stop` ends it. If false, it ends, complete, with the app.
    @discardableResult
    public func startRecording(outlivesApp: Bool = false) async throws(RecordingError) -> Start {
        try await start { _, configuration throws(RecordingError) in
            let file = try store.newFile()
            configuration.output = file.path
            configuration.outlivesClient = outlivesApp
            configuration.video.colour = recordingColour
            configuration.clipBuffer = try recordingClipBuffer.map(Self.checkedClipBuffer)
            return file
        } prepare: { _ throws(RecordingError) in
        }.start
    }

    /// Pauses the recording until `resumeRecording`. The file goes on as if no time had passed.
    public func pauseRecording() async throws(RecordingError) {
        try await pause(true) { (session) async throws(ClientError) in try await session.pause() }
    }

    public func resumeRecording() async throws(RecordingError) {
        try await pause(false) { (session) async throws(ClientError) in try await session.resume() }
    }

    /// Waits until the recorder has read the event that follows the engine's answer.
    private func pause(
        _ isPaused: Bool, _ request: (EngineSession) async throws(ClientError) -> Void
    ) async throws(RecordingError) {
        let session = try running().session
        var changes = pauses.add().makeAsyncIterator()
        do throws(ClientError) { try await request(session) } catch { throw RecordingError(error) }
        while recording?.isPaused == !isPaused, let change = await changes.next(isolation: nil), let change,
            change != isPaused
        {}
    }

    /// Begins a chapter of the recording; players show the chapters of the finished file. In a pause it begins where
    /// the recording goes on.
    ///
    /// - Parameter title: one line of at most 255 bytes in UTF-8; nil: `Chapter` and its number.
    /// - Returns: the chapter's beginning in the recording.
    @discardableResult
    public func mark(_ title: String? = nil) async throws(RecordingError) -> Duration {
        let session = try running().session
        do throws(ClientError) {
            let chapter = try await session.send(.mark(title: title)) {
                if case .marked(let chapter) = $0 { chapter } else { nil }
            }
            return Duration(chapter.start)
        } catch {
            throw RecordingError(error)
        }
    }

    /// Shows another scope in the running recording or capture without a gap; the picture is fitted into its size.
    /// Returns when the new scope is shown. On an error the recording keeps the old one.
    ///
    /// A virtual screen cannot be switched to another scope, nor another scope to one. `self.scope` is unchanged.
    public func switchScope(to scope: CaptureScope) async throws(RecordingError) {
        let session = try running().session
        let source = try await scope.source(locator)
        do throws(ClientError) { try await session.switchSource(to: source) } catch { throw RecordingError(error) }
    }

    func running() throws(RecordingError) -> Active {
        try contents.withLock { contents throws(RecordingError) in
            guard case .recording(let active) = contents.state else { throw .notRecording }
            return active
        }
    }

    /// Ends the recording and waits until its file is complete. If it failed, the error has the preview.
    public func stopRecording() async throws(RecordingError) -> RecordingPreview {
        let result = try await stop(isCapture: false)
        if let error = result.error { throw error.with(result.preview) }
        guard let preview = result.preview else {
            throw RecordingError(.failed, "Nothing was recorded; record longer.")
        }
        return preview
    }

    /// Ends the recording and moves its file there. If moving fails, the error has the preview of the unmoved file.
    public func stopRecording(to url: URL, replacing: Bool = false) async throws(RecordingError) {
        let preview = try await stopRecording()
        do throws(RecordingError) {
            try await preview.save(to: url, replacing: replacing)
        } catch {
            throw error.with(preview)
        }
    }

    /// Ends the recording and deletes what was recorded.
    public func discardRecording() async throws(RecordingError) {
        let file = try running().file
        let result = try await stop(isCapture: false)
        // The engine wrote it elsewhere if its directory was gone.
        guard let path = (result.preview?.url ?? file)?.path else { return }
        try await BlockingCall.run("kine-discard") { () throws(RecordingError) in
            guard unlink(path) != 0, errno != ENOENT else { return }
            throw RecordingError(
                .failedToSave, "\(path) cannot be deleted (\(Errno(rawValue: errno))); delete it by hand.")
        }
    }
}
