// The camera over the source's frame. A camera that has gone is opened again; the take never waits for it.
import KineCapture
import KineImaging
import KineMedia

/// A take's camera: a layer of the compositor while there are frames of it. Used by the capture thread alone.
final class CameraOverlay {
    typealias Settings = TakeConfiguration.Camera

    private enum State {
        case off
        case opening(any VideoSourceOpening)
        case live(any VideoSource)
        /// It has gone, or could not be opened; the next attempt is at this instant of CLOCK_MONOTONIC.
        case waiting(until: Int64)
    }

    private let compositor: Compositor
    private let open: (Settings, PixelSize) throws(VideoSourceError) -> any VideoSourceOpening
    /// Called when the camera has gone or cannot be opened; not again until it has returned.
    private let failed: (VideoSourceError) -> Void
    /// Called with each new frame.
    var shown: (any VideoSource) -> Void = { _ in }
    private var state = State.off
    private var settings: Settings?
    private var layer: Layer?
    private var hasFailed = false
    /// A card is shown instead of the source, so the camera is hidden too.
    private var isHidden = false

    /// Nanoseconds between two attempts to open a camera.
    private static let retryInterval: Int64 = 1_000_000_000

    /// - Parameters:
    ///   - open: begins to open a camera, asking it for a size.
    ///   - failed: called when the camera has gone or cannot be opened; not again until it has returned.
    init(
        over compositor: Compositor,
        open: @escaping (Settings, PixelSize) throws(VideoSourceError) -> any VideoSourceOpening,
        failed: @escaping (VideoSourceError) -> Void
    ) {
        self.compositor = compositor
        self.open = open
        self.failed = failed
    }

    /// For poll: the camera's descriptor; negative: none.
    var descriptor: Int32 {
        switch state {
        case .off, .waiting: -1
        case .opening(let opening): opening.descriptor
        case .live(let source): source.descriptor
        }
    }

    /// The instant at which `processEvents` must be called even without events.
    var deadline: Int64 { if case .waiting(let instant) = state { instant } else { .max } }

    /// Shows that camera from now on; nil: none. Returns whether the frame has changed.
    func change(to settings: Settings?) -> Bool {
        let isSameDevice = settings?.device == self.settings?.device
        self.settings = settings
        guard isSameDevice, case .live(let source) = state else {
            if !isSameDevice {
                hasFailed = false
                state = settings == nil ? .off : .waiting(until: 0)
                return removeLayer()
            }
            return false
        }
        _ = removeLayer()
        if !isHidden { show(source) }
        return true
    }

    /// Hides the camera, or shows it again. Returns whether the frame has changed.
    func hide(_ isHidden: Bool) -> Bool {
        guard isHidden != self.isHidden else { return false }
        self.isHidden = isHidden
        if isHidden { return removeLayer() }
        guard case .live(let source) = state else { return false }
        show(source)
        return true
    }

    /// Advances as far as possible, and draws the newest frame. Returns whether the picture has changed. Call it right
    /// before each poll.
    func processEvents(at now: Int64) -> Bool {
        do throws(VideoSourceError) {
            switch state {
            case .off: return false
            case .waiting(let instant):
                guard now >= instant, let settings else { return false }
                state = .opening(try open(settings, wantedSize))
                return false
            case .opening(let opening):
                guard let source = try opening.processEvents() else { return false }
                state = .live(source)
                hasFailed = false
                if isHidden { return false }
                show(source)
                shown(source)
                return true
            case .live(let source):
                guard try source.processEvents() else { return false }
                var damage = DamageRegion(size: source.size)
                try source.addDamage(to: &damage)
                if isHidden || damage.isEmpty { return false }
                show(source)
                shown(source)
                return true
            }
        } catch {
            state = .waiting(until: now + Self.retryInterval)
            if !hasFailed { failed(error) }
            hasFailed = true
            return removeLayer()
        }
    }

    /// Draws the newest frame.
    private func show(_ source: any VideoSource) {
        guard let settings else { return }
        let layout = settings.layout
        let geometry = layout.geometry(of: source.size, in: compositor.size)
        if layer?.geometry != geometry {
            _ = removeLayer()
            let layer = Layer(geometry, mask: LayerMask(layout, size: geometry.place.size))
            self.layer = layer
            compositor.add(layer)
        }
        _ = try? source.read(.full(size: source.size)) { part in
            layer?.draw(part.rect, pixels: part.pixels, stride: part.stride)
        }
    }

    private func removeLayer() -> Bool {
        guard let layer else { return false }
        compositor.remove(layer)
        self.layer = nil
        return true
    }

    /// A size that is enough for the camera's place; cameras offer few sizes.
    private var wantedSize: PixelSize {
        let small = PixelSize(width: 640, height: 480)
        guard let settings, Double(compositor.size.height) * settings.layout.size > Double(small.height) else {
            return small
        }
        return PixelSize(width: 1280, height: 720)
    }
}
