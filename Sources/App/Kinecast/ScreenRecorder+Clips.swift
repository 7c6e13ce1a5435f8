// The last moments of what the app shows, to be saved when something worth it has happened.
import FoundationEssentials
import KineClient
import KineMedia

extension ScreenRecorder {
    /// Whether the last moments are kept for `exportClip`, apart from a recording.
    public var isClipBuffering: Bool { clipTake.session != nil }

    /// Keeps the last moments from now on, in a take of its own: recording and broadcasting beside it are not touched. Returns when the
    /// first frame is there.
    ///
    /// - Parameter length: what is kept, up to 30 minutes. Memory is bounded: what does not fit lies on disk.
    @discardableResult
    public func startClipBuffering(_ length: Duration = .seconds(15)) async throws(RecordingError) -> Start {
        let buffer = try Self.checkedClipBuffer(length)
        var start: Start?
        var hadMicrophone = false
        let session = try await clipTake.start { () async throws(RecordingError) in
            let active = try await begin { _, configuration throws(RecordingError) in
                configuration.clipBuffer = buffer
                return nil
            }
            start = active.start
            hadMicrophone = active.begunWithMicrophone
            return active.session
        }
        if isMicrophoneEnabled != hadMicrophone { tellMicrophone() }
        Task { [weak self] in
            for await event in session.events { self?.received(event, ofClipTake: session) }
        }
        guard let start else { throw .cancelled }
        return start
    }

    /// Writes the last `duration` to a new file, and goes on buffering. Returns when the file is complete. The moments are those of clip
    /// buffering, or else of a recording that was started with `recordingClipBuffer`. One clip is written at a time. A paused take gives
    /// what was there before the pause.
    ///
    /// - Parameters:
    ///   - url: of a file, absolute.
    ///   - duration: nil, or longer than what is kept: all of it.
    ///   - replacing: a file that is there already is replaced; otherwise that is an error.
    public func exportClip(
        to url: URL, duration: Duration? = nil, replacing: Bool = false
    ) async throws(RecordingError) -> Clip {
        guard url.isFileURL, url.path.hasPrefix("/") else {
            throw RecordingError(
                .invalidParameter, "\(url.absoluteString) is not the address of a file; give an absolute path.")
        }
        let length = try duration.map { (duration) throws(RecordingError) in
            guard duration > .zero else {
                throw RecordingError(.invalidParameter, "A clip of \(duration) cannot be made; give more than zero.")
            }
            // Everything longer means all that there is, and a day does not overflow.
            return MediaTime(min(duration, .seconds(86400)))
        }
        guard let session = clipTake.session ?? recording.flatMap({ $0.hasClipBuffer ? $0.session : nil }) else {
            throw .notBuffering
        }
        do throws(ClientError) {
            return Clip(try await session.exportClip(to: url.path, duration: length, overwrite: replacing))
        } catch {
            throw RecordingError(error)
        }
    }

    /// Ends clip buffering, when a clip that is being written is finished. What was kept is gone.
    public func stopClipBuffering() async throws(RecordingError) { try await clipTake.stop() }

    static func checkedClipBuffer(_ length: Duration) throws(RecordingError) -> MediaTime {
        let time = MediaTime(min(length, .seconds(86400)))
        do throws(TakeConfiguration.Problem) {
            try TakeConfiguration.checkClipBuffer(time)
        } catch {
            throw RecordingError(.invalidParameter, error.description)
        }
        return time
    }

    private func received(_ event: SessionEvent, ofClipTake session: EngineSession) {
        switch event {
        case .warning(let sentence): tell(.warning(sentence))
        case .ended(let outcome):
            guard clipTake.ended(session) else { return }
            tell(.clipBufferingStopped(error: outcome.error(hasBegun: true)))
        default: break
        }
    }
}
