// The camera over the picture.
import KineClient
import KineMedia
import KineWire

extension ScreenRecorder {
    /// The camera shown over the picture, with its place and looks; nil: none. Can be changed during a recording or
    /// capture.
    ///
    /// A recording does not wait for its camera. If the camera is lost, the recording goes on without it until it is
    /// back. An event warns if it gives no picture. If there is no such camera, or the person does not allow it, a
    /// recording does not start; during a recording an event warns, and this becomes nil.
    public var camera: Camera? {
        get { contents.withLock { $0.settings.camera } }
        set {
            contents.withLock { $0.settings.camera = newValue }
            tellCamera()
        }
    }

    /// Makes the cameras of the running takes follow `camera`.
    func tellCamera() {
        for session in [recording?.session, clipTake.session].compactMap(\.self) {
            session.followCamera {
                self.camera
            } refused: { error in
                self.contents.withLock { $0.settings.camera = nil }
                self.tell(.warning(error.description))
            }
        }
    }

    /// Sends the frames of the camera in the running recording or capture to a handler, neither mirrored nor cropped.
    /// Sends none while no camera is shown, or during a pause.
    ///
    /// - Parameters:
    ///   - size: of the BGRA frames; its sides are even. The camera is fitted into it; the rest is black.
    ///   - handler: called on its own thread; if it is slow, frames are dropped.
    /// - Returns: the preview, which ends when it is released.
    public func previewCamera(
        fitting size: PixelSize = PixelSize(width: 640, height: 480), handler: @escaping CaptureHandler
    ) async throws(RecordingError) -> CameraPreview {
        try await EngineSession.previewCamera(of: running().start.take, fitting: size, handler: handler)
    }

    /// Whether a camera is shown.
    public var isCameraEnabled: Bool { camera != nil }

    /// Shows the default camera in the lower right corner, or no camera. Set `camera` to choose a camera and a place. A
    /// desktop's cameras have no front and back.
    public func enableCamera(_ isEnabled: Bool = true) {
        guard isEnabled != isCameraEnabled else { return }
        camera = isEnabled ? Camera() : nil
    }
}

/// Sends the camera's frames to the app until this object is released or stopped, or the recording ends.
public final class CameraPreview: Sendable {
    private let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    deinit { session.close() }

    /// Ends the preview. The handler may still be handling a last frame.
    public func stop() { session.close() }
}

extension EngineSession {
    /// Opens another connection to the take, over which it sends the camera's frames to a handler.
    static func previewCamera(
        of take: String, fitting size: PixelSize, handler: @escaping CaptureHandler
    ) async throws(RecordingError) -> CameraPreview {
        do throws(ClientError) {
            let session = try await attach(to: take)
            // Its release closes the session if anything below fails.
            let preview = CameraPreview(session)
            let feed = try await session.receiveSamples(SampleRequest(video: .camera(size: size)))
            do throws(RecordingError) {
                try FeedReader.startCapture(of: feed, handler)
            } catch {
                throw ClientError.refused(Refusal(.unavailable, error.description))
            }
            return preview
        } catch {
            throw RecordingError(error)
        }
    }
}
