// Paints the pointer, the clicks and the keys that a source reports beside its frames: a step of the compositor.
import KineImaging
import KineMedia

/// Paints the pointer, clicks and keys over the frames of one source. Used by one thread.
///
/// Call `advance` after each `processEvents` of the source, and `update` after each `addDamage`.
public final class InputPainter: SourcePainter {
    private let showsPointer: Bool
    private let scale: Double
    private var pointer = PointerOverlay()
    /// The id of the image that `pointer` has.
    private var image: Int?
    /// Nil: clicks are not shown.
    private var clicks: ClickOverlay?
    /// Nil: keys are not shown.
    private var keys: KeyOverlay?

    /// Nil: the take shows neither the pointer nor clicks nor keys.
    public init?(_ video: TakeConfiguration.Video) {
        guard video.showsCursor || video.showsClicks || video.shownKeys != nil else { return nil }
        (showsPointer, scale) = (video.showsCursor, video.cursorScale)
        clicks = video.showsClicks ? ClickOverlay(scale: scale) : nil
        keys = video.shownKeys == nil ? nil : KeyOverlay()
    }

    /// Forgets what was painted, since the frames now come from another source, whose first frame is painted whole.
    public func sourceChanged() {
        (pointer, image) = (PointerOverlay(), nil)
        if clicks != nil { clicks = ClickOverlay(scale: scale) }
        if keys != nil { keys = KeyOverlay() }
    }

    /// Takes the source's reports. Returns whether rings or the badge must be painted again. A moved pointer is not counted: the source's
    /// `processEvents` has told of it.
    ///
    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC; the same below.
    public func advance(_ source: any VideoSource, to now: Int64) -> Bool {
        for event in source.takeClicks() { clicks?.receive(event) }
        clicks?.advance(to: now)
        keys?.advance(to: now, source.keys)
        return clicks?.hasChanged == true || keys?.hasChanged == true
    }

    /// The instant (CLOCK_MONOTONIC) of the next step of an animation; nil: nothing is animated.
    public var deadline: Int64? { [clicks?.deadline, keys?.deadline].compactMap(\.self).min() }

    /// Prepares the newest state for painting. Adds the old and the new rectangles to `damage`, in the frame's coordinates.
    public func update(_ source: any VideoSource, damage: inout DamageRegion, at now: Int64) {
        _ = advance(source, to: now)
        let state = source.pointer
        if showsPointer {
            if let newest = state?.image, newest.id != image {
                pointer.setImage(newest.picture, hotSpot: newest.hotSpot, scale: scale)
                image = newest.id
            }
            let place = state?.image == nil ? nil : state?.place
            pointer.move(to: place.map { ($0.x, $0.y) }, damage: &damage)
        }
        clicks?.move(to: state?.place)
        clicks?.update(damage: &damage)
        keys?.update(damage: &damage)
    }

    public func bounds(in rect: PixelRect) -> PixelRect {
        [pointer.rect, clicks?.bounds, keys?.rect].compactMap { $0?.intersection(rect) }
            .reduce(PixelRect(x: 0, y: 0, width: 0, height: 0)) { $0.union($1) }
    }

    public func paint(over pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect) {
        clicks?.paint(over: pixels, stride: stride, area: area)
        pointer.draw(over: pixels, stride: stride, area: area)
        keys?.paint(over: pixels, stride: stride, area: area)
    }
}
