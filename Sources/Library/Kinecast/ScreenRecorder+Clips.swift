// Keeps the last moments of what the app shows, and saves them on request.
import FoundationEssentials
import KineClient
import KineMedia

extension ScreenRecorder {
    /// Whether a separate take keeps the last moments for `exportClip`.
    public var isClipBuffering: Bool { clipTake.session != nil }

    /// Starts to keep the last moments in a separate take, which does not affect recordings and broadcasts. Returns
    /// when the first frame exists.
    ///
    /// - Parameter length: the time to keep, up to 30 minutes. Memory is limited; the rest is kept on disk.
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

    /// Writes the last `duration` to a new file, and goes on buffering. Returns when the file is complete. The source
    /// is clip buffering, or else a recording that was started with `recordingClipBuffer`. Only one clip is written at
    /// a time. A paused take gives the moments before the pause.
    ///
    /// - Parameters:
    ///   - url: the absolute URL of a file.
    ///   - duration: nil, or longer than the kept time: all of it.
    ///   - replacing: whether to replace an existing file; otherwise it is an error.
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
            // A longer duration means everything that is kept, and a day cannot overflow.
            return MediaTime(min(duration, .seconds(86400)))
        }
        guard let session = clipTake.session ?? recording.flatMap({ $0.hasClipBuffer ? $0.session : nil }) else {
            throw .notBuffering
        }
        return try await RecordingError.translating { () async throws(ClientError) in
            Clip(try await session.exportClip(to: url.path, duration: length, overwrite: replacing))
        }
    }

    /// Ends clip buffering, after any clip that is being written. The kept moments are deleted.
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
        case .engine(.warning(let sentence, _)): tell(.warning(sentence))
        case .ended(let outcome):
            guard clipTake.ended(session) else { return }
            tell(.clipBufferingStopped(error: outcome.error(hasBegun: true)))
        default: break
        }
    }
}
