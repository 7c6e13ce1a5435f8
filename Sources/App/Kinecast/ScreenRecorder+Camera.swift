// The camera over the picture.
import KineClient
import KineMedia
import KineWire

extension ScreenRecorder {
    /// The camera that is shown over the picture, with its place and its looks; nil: none. It can be changed while a recording or a
    /// capture runs: the camera moves, another one is shown, or none.
    ///
    /// A recording does not wait for its camera, and goes on without it where it is lost; it is shown again as soon as it is back. An
    /// event warns where it gives no picture. Where there is no such camera, or the person does not allow it, a recording does not
    /// start; in one that runs, an event warns, and this is nil again.
    public var camera: Camera? {
        get { contents.withLock { $0.settings.camera } }
        set {
            contents.withLock { $0.settings.camera = newValue }
            tellCamera()
        }
    }

    /// Has the takes that run follow `camera`.
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

    /// Has the frames of the camera in the recording or capture that runs sent to a handler, as the camera sees them: not mirrored and
    /// not cut. Nothing comes while no camera is shown, nor in a pause.
    ///
    /// - Parameters:
    ///   - size: the frames are BGRA of this size, its sides even. The camera fits into it; the rest is black.
    ///   - handler: called on a thread of its own; while it takes long, frames are left out.
    /// - Returns: the preview, which ends when it is released.
    public func previewCamera(
        fitting size: PixelSize = PixelSize(width: 640, height: 480), handler: @escaping CaptureHandler
    ) async throws(RecordingError) -> CameraPreview {
        try await EngineSession.previewCamera(of: running().start.take, fitting: size, handler: handler)
    }

    /// Whether a camera is shown.
    public var isCameraEnabled: Bool { camera != nil }

    /// Shows the default camera in the lower right corner, or none any more. `camera` chooses among cameras and places. A desktop's
    /// cameras have no front and back.
    public func enableCamera(_ isEnabled: Bool = true) {
        guard isEnabled != isCameraEnabled else { return }
        camera = isEnabled ? Camera() : nil
    }
}

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
