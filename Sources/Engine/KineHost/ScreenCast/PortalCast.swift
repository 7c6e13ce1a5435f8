// One permission of the desktop's portal, and PipeWire's frames for it. Both end together.
import KineCapture
import KineDesktop
import KineMedia
import KinePipeWire
import KinePlatform
import SystemPackage

/// Asks the portal, then waits for the cast. Used by one thread.
final class PortalCastOpening {
    private enum State {
        case asking
        case reading(PipeWireOpening, ScreenCastStream)
    }

    private let helper: ScreenCastHelper
    private let video: TakeConfiguration.Video
    private let descriptors: DescriptorSet
    /// It replaces a cast that has ended: see `PipeWireOpening`.
    private let continues: Bool
    private let warn: (String) -> Void
    private var state = State.asking

    /// Asks at once. `warn` gets sentences for the person about problems that do not end the cast.
    init(
        _ order: ScreenCastOrder, _ video: TakeConfiguration.Video, continues: Bool = false,
        warn: @escaping (String) -> Void = { _ in }
    ) throws(VideoSourceError) {
        (self.video, self.continues, self.warn) = (video, continues, warn)
        do throws(ScreenCastHelper.Error) {
            helper = try ScreenCastHelper(order)
        } catch {
            throw error.videoSourceError
        }
        descriptors = try DescriptorSet()
        try descriptors.insert(helper.descriptor)
    }

    var descriptor: Int32 { descriptors.descriptor }
    var deadline: Int64? { if case .reading(let opening, _) = state { opening.deadline } else { nil } }

    func giveUp() { helper.giveUp() }

    /// As `VideoSourceOpening.processEvents`.
    func processEvents() throws(VideoSourceError) -> PortalCast? {
        let permitted: ScreenCast?
        do throws(ScreenCastHelper.Error) { permitted = try helper.processEvents() } catch {
            throw error.videoSourceError
        }
        if let permitted {
            if let problem = permitted.problem { warn(problem) }
            try read(permitted)
        }
        guard case .reading(let opening, let stream) = state, let source = try opening.openedSource() else {
            return nil
        }
        return PortalCast(source, stream, helper, descriptors)
    }

    private func read(_ cast: ScreenCast) throws(VideoSourceError) {
        // A pointer inside the frames cannot be enlarged.
        if cast.stream.cursorMode == .embedded, video.cursorScale != 1 {
            try? cast.remote.close()
            throw .notOnWayland(.largerCursor)
        }
        let options = PipeWireSource.Options(
            // Below the screen's rate, mutter may lose a frame that it has put off, until the next change; the take's pace is its own.
            highestRate: max(60, video.framesPerSecond),
            reportsPointer: video.showsCursor && cast.stream.cursorMode == .metadata,
            paintsPointer: cast.stream.cursorMode == .embedded, recordsPointer: video.recordsInput)
        let opening = try PipeWireOpening(
            descriptor: cast.remote, node: cast.stream.node, options: options, continues: continues)
        try descriptors.insert(opening.descriptor)
        state = .reading(opening, cast.stream)
    }
}

/// PipeWire's frames while the desktop permits them. Used by one thread.
final class PortalCast {
    let source: PipeWireSource
    let stream: ScreenCastStream
    private let descriptors: DescriptorSet
    /// Nil: the portal has ended. That alone ends no cast; PipeWire reports its end.
    private var helper: ScreenCastHelper?

    init(
        _ source: PipeWireSource, _ stream: ScreenCastStream, _ helper: ScreenCastHelper, _ descriptors: DescriptorSet
    ) {
        self.source = source
        self.stream = stream
        self.helper = helper
        self.descriptors = descriptors
    }

    var descriptor: Int32 { descriptors.descriptor }

    /// As `VideoSource.processEvents`.
    func processEvents() throws(VideoSourceError) -> Bool {
        let hasChanged = try source.processEvents()
        guard try hasEnded() else { return hasChanged }
        // If PipeWire died, the desktop ended the cast too: throw the loss of the connection instead.
        _ = try source.processEvents()
        throw .screenCastClosed
    }

    private func hasEnded() throws(VideoSourceError) -> Bool {
        guard let helper else { return false }
        do throws(ScreenCastHelper.Error) {
            _ = try helper.processEvents()
        } catch {
            if error == .closed { return true }
            descriptors.remove(helper.descriptor)
            self.helper = nil
        }
        return false
    }
}
