// The levels of a recording's audio, for a meter.
import KineClient
import KineMedia
import KineWire

extension ScreenRecorder {
    /// The levels of the audio of the running recording or capture, after each change, which are measured until the sequence is released. A
    /// slow loop gets the newest ones. The sequence ends with the recording.
    ///
    /// A capture that receives audio has levels ten times a second. A recording has them less often, with larger pieces of its audio.
    public func audioLevels() async throws(RecordingError) -> AsyncStream<AudioLevels> {
        let take = try running().start.take
        do throws(ClientError) {
            // A connection of its own, as for the camera's preview.
            let session = try await EngineSession.attach(to: take)
            try await session.showAudioLevels(true)
            let (stream, continuation) = AsyncStream.makeStream(
                of: AudioLevels.self, bufferingPolicy: .bufferingNewest(1))
            continuation.onTermination = { _ in session.close() }
            Task {
                for await event in session.events {
                    switch event {
                    case .engine(.audioLevels(let levels)): continuation.yield(levels)
                    case .ended: continuation.finish()
                    default: continue
                    }
                }
                continuation.finish()
            }
            return stream
        } catch {
            throw RecordingError(error)
        }
    }
}
