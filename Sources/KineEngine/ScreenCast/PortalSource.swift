// The screen of a desktop that is asked for it: the portal's permission, then PipeWire's frames, in one source.
import KineCapture
import KineControl
import KineDesktop
import KineMedia
import KinePlatform
import SystemPackage

/// Waits for a person's answer and for the first frame. Used by one thread.
final class PortalOpening: VideoSourceOpening {
    private enum State {
        case asking
        case reading(PipeWireOpening)
    }

    private let helper: ScreenCastHelper
    private let video: TakeConfiguration.Video
    private let region: PixelRect?
    private let warn: @Sendable (String) -> Void
    private let descriptors: DescriptorSet
    private var state = State.asking

    /// Asks the desktop at once.
    ///
    /// - Parameters:
    ///   - region: of the upright picture, in its pixels; nil: all of it.
    ///   - warn: tells the person what does not end the cast.
    init(
        _ order: ScreenCastOrder, _ video: TakeConfiguration.Video, region: PixelRect? = nil,
        warn: @escaping @Sendable (String) -> Void
    ) throws(VideoSourceError) {
        (self.video, self.region, self.warn) = (video, region, warn)
        do throws(ScreenCastHelper.Error) {
            helper = try ScreenCastHelper(order)
        } catch {
            throw error.videoSourceError
        }
        do throws(Errno) {
            descriptors = try DescriptorSet()
            try descriptors.insert(helper.descriptor)
        } catch {
            throw .noDescriptor(error)
        }
    }

    var descriptor: Int32 { descriptors.descriptor }

    var deadline: Int64? { if case .reading(let opening) = state { opening.deadline } else { nil } }

    func giveUp() { helper.giveUp() }

    func processEvents() throws(VideoSourceError) -> (any VideoSource)? {
        let permitted: ScreenCast?
        do throws(ScreenCastHelper.Error) { permitted = try helper.processEvents() } catch {
            throw error.videoSourceError
        }
        if let permitted {
            if let problem = permitted.storeProblem { warn(problem) }
            try read(permitted)
        }
        guard case .reading(let opening) = state, let source = try opening.processEvents() else { return nil }
        let cast = PortalSource(source, helper, descriptors)
        guard let region else { return cast }
        return try CroppedSource(cast, region: region)
    }

    private func read(_ cast: ScreenCast) throws(VideoSourceError) {
        // A pointer that is part of the frames is as large as it is.
        if cast.stream.cursorMode == .embedded, video.cursorScale != 1 {
            try? cast.remote.close()
            throw .notOnWayland(option: "--cursor-scale")
        }
        let options = PipeWireSource.Options(
            highestRate: video.framesPerSecond, showsCursor: video.showsCursor && cast.stream.cursorMode == .metadata,
            cursorScale: video.cursorScale)
        let opening = try PipeWireOpening(descriptor: cast.remote, node: cast.stream.node, options: options)
        do throws(Errno) { try descriptors.insert(opening.descriptor) } catch { throw .noDescriptor(error) }
        state = .reading(opening)
    }
}

/// PipeWire's frames, for as long as the desktop permits them. Used by one thread.
final class PortalSource: VideoSource {
    private let source: any VideoSource
    private let descriptors: DescriptorSet
    /// Nil: the portal has gone away, which ends no cast by itself: PipeWire tells of its end.
    private var helper: ScreenCastHelper?

    init(_ source: any VideoSource, _ helper: ScreenCastHelper, _ descriptors: DescriptorSet) {
        self.source = source
        self.helper = helper
        self.descriptors = descriptors
    }

    var size: PixelSize { source.size }
    var orientation: Orientation { source.orientation }
    var descriptor: Int32 { descriptors.descriptor }
    var deadline: Int64? { source.deadline }

    func processEvents() throws(VideoSourceError) -> Bool {
        try attendPortal()
        return try source.processEvents()
    }

    private func attendPortal() throws(VideoSourceError) {
        guard let helper else { return }
        do throws(ScreenCastHelper.Error) {
            _ = try helper.processEvents()
        } catch {
            if error == .closed { throw .screenCastClosed }
            descriptors.remove(helper.descriptor)
            self.helper = nil
        }
    }

    func addDamage(to damage: inout DamageRegion) throws(VideoSourceError) { try source.addDamage(to: &damage) }

    func read(_ region: DamageRegion, into receive: (FramePart) -> Void) throws(VideoSourceError) -> Bool {
        try source.read(region, into: receive)
    }
}
