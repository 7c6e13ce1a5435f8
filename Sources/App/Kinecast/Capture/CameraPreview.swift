// An app sees the camera that is in its recording.
import KineClient
import KineMedia
import KineWire

/// The camera's frames for the app, as long as this object lives, the recording runs, and it is not stopped.
public final class CameraPreview: Sendable {
    private let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    deinit { session.close() }

    /// The handler is not called any more, but for a frame that it has already.
    public func stop() { session.close() }
}

extension EngineSession {
    /// Connects to a take once more, and has the camera's frames sent to a handler.
    static func previewCamera(
        of take: String, fitting size: PixelSize, handler: @escaping CaptureHandler
    ) async throws(RecordingError) -> CameraPreview {
        do throws(ClientError) {
            let session = try await attach(to: take)
            // Closed with it wherever this fails.
            let preview = CameraPreview(session)
            let feed = try await session.receiveSamples(SampleRequest(video: .camera(size: size)))
            do throws(RecordingError) {
                try CaptureReader.start(feed, handler) {}
            } catch {
                throw ClientError.refused(Refusal(.unavailable, error.description))
            }
            return preview
        } catch {
            throw RecordingError(error)
        }
    }
}
