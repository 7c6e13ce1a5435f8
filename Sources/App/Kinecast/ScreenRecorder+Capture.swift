// Capturing: the app gets the samples itself.
import KineClient
import KineMedia

extension ScreenRecorder {
    /// Starts a capture: the app gets the samples itself, and no file is written. Returns when the first frame is there. The handler is
    /// called on a thread of its own until the capture ends.
    @discardableResult
    public func startCapture(
        _ request: SampleRequest = .uncompressed, handler: @escaping CaptureHandler
    ) async throws(RecordingError) -> Start {
        try await startCapture(request, handler: handler, ended: {})
    }

    /// The same for a `for await` loop.
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

    /// The reader's thread waits for its loop, which may have gone.
    func endSamples() { contents.withLock { $0.samples.take() }?.finish() }

    @discardableResult
    private func startCapture(
        _ request: SampleRequest, handler: @escaping CaptureHandler, ended: @escaping @Sendable () -> Void
    ) async throws(RecordingError) -> Start {
        try await start { _, configuration in
            configuration.expectedSamples = [request]
            return nil
        } prepare: { session throws(RecordingError) in
            let feed: ClientFeed
            do throws(ClientError) {
                feed = try await session.receiveSamples(request)
            } catch {
                throw RecordingError(error)
            }
            try CaptureReader.start(feed) { [weak self] sample, type in
                // The engine sends silence for a microphone that is off.
                if type == .audioMic, self?.isMicrophoneEnabled != true { return }
                handler(sample, type)
            } ended: {
                ended()
            }
        }.start
    }

    /// Ends a capture. The handler is still called for the samples that were there before.
    public func stopCapture() async throws(RecordingError) {
        if let error = try await stop(isCapture: true).error { throw error }
    }
}
