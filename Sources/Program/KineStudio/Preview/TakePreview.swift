// The picture of a running take for the studio's pages: the frames of the take's encoder, as the live page gets them.
import KineClient
import KineMedia
import KinePlatform
import KinePublish
import KineRings
import KineWire
import Synchronization
import SystemPackage

/// One take's picture, for all pages that show it. Any thread may call.
final class TakePreview: Sendable {
    private struct State {
        /// The connection over which the engine sends frames; nil before the first one and after the end.
        var session: EngineSession?
        /// Nil until the take's encoder has a format.
        var stream: LiveStream?
        /// Counts the connections. The frames of the last one are sent on.
        var connection = 0
        var isPaused: Bool
        var isOver = false
    }

    private let take: String
    private let state: Mutex<State>
    private let opened = Promise<Result<LiveStream, ClientError>>()
    private let ended: @Sendable () -> Void

    /// - Parameters:
    ///   - take: its id.
    ///   - ended: called once, when the preview can give nothing more.
    init(of take: String, isPaused: Bool, ended: @escaping @Sendable () -> Void) {
        (self.take, self.ended) = (take, ended)
        state = Mutex(State(isPaused: isPaused))
    }

    /// The stream, as soon as the take's encoder has a format.
    func stream() async throws(ClientError) -> LiveStream {
        guard let result = await opened.value() else { throw .cancelled }
        return try result.get()
    }

    /// The number of pages that show it; nil before the stream is there.
    var viewers: Int? { state.withLock { $0.stream }?.viewers }

    /// Call this twice a second.
    func tick() { state.withLock { $0.stream }?.tick() }

    func set(isPaused: Bool) {
        let stream = state.withLock { state in
            state.isPaused = isPaused
            return state.stream
        }
        stream?.set(isPaused ? .paused : .live)
    }

    /// Ends the streams of all pages. The second call does nothing.
    func end(_ error: ClientError = .cancelled) {
        let (isFirst, session, stream) = state.withLock { state in
            defer { (state.isOver, state.session) = (true, nil) }
            return (!state.isOver, state.session, state.stream)
        }
        guard isFirst else { return }
        session?.close()
        stream?.set(.ended)
        stream?.close()
        opened.fulfil(.failure(error))
        ended()
    }

    /// Requests frames, the first of which is a keyframe, over a new connection. The earlier one is closed.
    func connect() async {
        let number = state.withLock { state in
            state.connection += 1
            return state.connection
        }
        do throws(ClientError) {
            let session = try await EngineSession.attach(to: take)
            // Without audio: what the loudspeakers play would be recorded again.
            let feed = try await session.receiveSamples(
                SampleRequest(video: .encoded(codec: .h264, followsFormat: true)))
            try read(feed, number)
            let old = state.withLock { state in
                guard !state.isOver, state.connection == number else { return session as EngineSession? }
                defer { state.session = session }
                return state.session
            }
            old?.close()
        } catch {
            end(error)
        }
    }

    private func read(_ feed: ClientFeed, _ number: Int) throws(ClientError) {
        do throws(Errno) {
            try FeedReader.start(
                feed, thread: "preview",
                started: { [weak self] in self?.began($0, number) },
                handler: { [weak self] sample, _ in
                    guard let stream = self?.stream(of: number) else { return }
                    sample.withBytes { bytes in
                        bytes.withUnsafeBytes {
                            stream.publish(
                                .video, presentationTime: sample.presentationTime, isKeyframe: sample.isKeyframe,
                                bytes: $0, format: sample.keyframeFormat)
                        }
                    }
                },
                ended: { [weak self] in if self?.isLast(number) == true { self?.end() } })
        } catch {
            throw .refused(Refusal(.unavailable, DedicatedThread.explanation(of: error, thread: "preview")))
        }
    }

    private func isLast(_ number: Int) -> Bool { state.withLock { $0.connection == number } }

    private func stream(of number: Int) -> LiveStream? {
        state.withLock { $0.connection == number ? $0.stream : nil }
    }

    private func began(_ description: StreamDescription, _ number: Int) {
        guard let format = description.video?.format else { return end() }
        let stream = state.withLock { state -> LiveStream? in
            guard state.connection == number, !state.isOver else { return nil }
            // The first keyframe has the format again.
            if let stream = state.stream { return stream }
            let stream = LiveStream(title: "", format: LiveFormat(video: format, audio: [])) { [weak self] in
                Task { await self?.connect() }
            }
            if state.isPaused { stream.set(.paused) }
            state.stream = stream
            return stream
        }
        if let stream { opened.fulfil(.success(stream)) }
    }
}
