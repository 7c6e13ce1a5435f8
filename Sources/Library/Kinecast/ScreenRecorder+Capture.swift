// Captures: the app receives the samples itself.
import KineClient
import KineMedia
import KineRings
import SystemPackage

/// The app's function for samples. Called on its own thread, one sample at a time; if it is slow, samples are dropped.
public typealias CaptureHandler = @Sendable (borrowing SampleBuffer, SampleBufferType) -> Void

extension FeedReader {
    /// Starts the thread on which an app handles samples.
    static func startCapture(
        of feed: ClientFeed, _ handler: @escaping CaptureHandler, ended: @escaping @Sendable () -> Void = {}
    ) throws(RecordingError) {
        do throws(Errno) {
            try start(feed, thread: "capture", handler: handler, ended: ended)
        } catch {
            throw .noThread(name: "capture", error)
        }
    }
}

extension ScreenRecorder {
    /// Starts a capture: the app receives the samples, and no file is written. Returns when the first frame exists. The
    /// handler is called on its own thread until the capture ends.
    @discardableResult
    public func startCapture(
        _ request: SampleRequest = .uncompressed, handler: @escaping CaptureHandler
    ) async throws(RecordingError) -> Start {
        try await startCapture(request, handler: handler, ended: {})
    }

    /// Starts a capture whose samples a `for await` loop reads.
    public func startCapture(_ request: SampleRequest = .uncompressed) async throws(RecordingError) -> CapturedSamples {
        let exchange = SampleExchange()
        do throws(RecordingError) {
            try await startCapture(
                request, handler: { sample, _ in exchange.hand(sample) }, ended: { exchange.finish() })
        } catch {
            exchange.finish()
            throw error
        }
        let hasEnded = contents.withLock { contents in
            contents.samples = exchange
            if case .recording = contents.state { return false }
            return true
        }
        if hasEnded { endSamples() }
        return CapturedSamples(exchange: exchange)
    }

    /// Ends the sequence, so that the reader's thread does not wait for a loop that may have ended.
    func endSamples() { contents.withLock { $0.samples.take() }?.finish() }

    @discardableResult
    private func startCapture(
        _ request: SampleRequest, handler: @escaping CaptureHandler, ended: @escaping @Sendable () -> Void
    ) async throws(RecordingError) -> Start {
        try await start { _, configuration in
            configuration.expectedSamples = [request]
            return nil
        } prepare: { session throws(RecordingError) in
            let feed = try await RecordingError.translating { () async throws(ClientError) in
                try await session.receiveSamples(request)
            }
            try FeedReader.startCapture(of: feed) { [weak self] sample, type in
                // The engine sends silence while the microphone is off.
                if type == .audioMic, self?.isMicrophoneEnabled != true { return }
                handler(sample, type)
            } ended: {
                ended()
            }
        }.start
    }

    /// Ends a capture. The handler is still called for the samples captured before.
    public func stopCapture() async throws(RecordingError) {
        if let error = try await stop(isCapture: true).error { throw error }
    }
}
