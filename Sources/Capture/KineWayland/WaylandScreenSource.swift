// The screen of a Wayland session, or a part of it, by copies of its compositor. Copies and reads only changes.
import KineCapture
import KineMedia
import KinePlatform

/// A video source on a compositor with a protocol for copies of its outputs. Created and used by the capture thread.
///
/// Damage that is larger than the change costs only a comparison, because `FrameRing` compares each drawn tile with the
/// previous frame.
public final class WaylandScreenSource: VideoSource {
    public enum Target: Equatable, Sendable {
        /// All outputs, in their arrangement.
        case desktop
        /// One output, by its name. Case does not matter.
        case monitor(String)
        /// A part of one output, in logical pixels of the desktop. The frame has the output's own pixels.
        case region(PixelRect)
    }

    public private(set) var size: PixelSize
    public private(set) var orientation: Orientation
    private let screen: WaylandScreen
    private let target: Target
    /// The compositor paints the pointer into its copies, or leaves it out.
    public let paintsPointer: Bool
    private let warn: @Sendable (String) -> Void
    private var copiers: [any OutputCopier]
    /// For several outputs; nil: there is one, and its frames are read in place.
    private var joined: JoinedFrame?
    /// The names of the outputs for which there is no room in the picture.
    private var leftOut: Set<String> = []
    /// When discarded frames of outputs that send no others are replaced by black.
    private var discardedUntil: Int64?
    /// Converted rows of an output with another pixel format.
    private var band = ScratchMemory()
    /// The whole next frame is damaged.
    private var isNew = true

    /// An output without a frame is black until it has one; the only output must have one.
    init(
        _ screen: WaylandScreen, _ target: Target, _ copiers: [any OutputCopier], showsCursor: Bool,
        warn: @escaping @Sendable (String) -> Void
    ) throws(VideoSourceError) {
        (self.screen, self.target, self.copiers, self.paintsPointer, self.warn) = (
            screen, target, copiers, showsCursor, warn
        )
        size = PixelSize(width: 0, height: 0)
        orientation = .up
        if target == .desktop {
            let outputs = screen.outputs.known
            guard !outputs.isEmpty else { throw .noOutput }
            try arrange(outputs)
        }
        var damage = DamageRegion(size: size)
        takeFrames(&damage)
    }

    public var descriptor: Int32 { screen.connection.descriptor }

    public var deadline: Int64? { (copiers.map(\.deadline) + [discardedUntil]).compactMap(\.self).min() }

    public var interruption: SourceInterruption? {
        copiers.lazy.map(\.copy).first { $0.proxy == nil }
            .map { SourceInterruption(.monitorGone, monitor: $0.subject.output.name) }
    }

    public func processEvents() throws(VideoSourceError) -> Bool {
        try screen.handleEvents()
        let isChanged = screen.outputs.hasChanged
        try screen.advance(copiers)
        if isChanged, target == .desktop { try followDesktop() }
        expireDiscarded()
        return isNew && !isStale || copiers.contains { $0.hasFrame }
    }

    public func addDamage(to damage: inout DamageRegion) throws(VideoSourceError) {
        _ = try processEvents()
        takeFrames(&damage)
        if isNew || damage.size != size {
            isNew = false
            damage = .full(size: size)
        }
    }

    // MARK: The desktop's outputs

    /// Outputs come, go, move and turn. Without any, the last frame stays.
    private func followDesktop() throws(VideoSourceError) {
        let outputs = screen.outputs.known
        if !outputs.isEmpty { try arrange(outputs) }
    }

    private func arrange(_ outputs: [WaylandOutput]) throws(VideoSourceError) {
        let outputs = try joinable(outputs)
        let isAlone = outputs.count == 1
        let layout = isAlone ? nil : try WaylandLayout.join(outputs)
        var kept: [any OutputCopier] = []
        for output in outputs {
            let copier = copiers.first { $0.copy.subject.output.name == output.name }
            let subject = OutputCopy.Subject(output: FollowedMonitor(output.name))
            if let copier {
                kept.append(copier)
            } else {
                kept.append(try screen.copier(of: subject, showsCursor: paintsPointer))
            }
        }
        let isOther = kept.count != copiers.count || !zip(kept, copiers).allSatisfy { $0 === $1 }
        copiers = kept
        guard isOther || layout != joined?.layout else { return }
        // The only output has the frame's size, which is not known before its first one.
        if isAlone, copiers[0].size == nil || copiers[0].copy.isDiscarded { return }
        joined = layout.map { JoinedFrame($0) }
        for copier in copiers { _ = joined?.draw(nil, of: copier) }
        follow()
        isNew = true
        try screen.advance(copiers)
    }

    /// The outputs for which the picture has room. Those that are shown already come first.
    private func joinable(_ outputs: [WaylandOutput]) throws(VideoSourceError) -> [WaylandOutput] {
        do throws(VideoSourceError) {
            if outputs.count > 1 { _ = try WaylandLayout.join(outputs) }
            return outputs
        } catch {
            let names = Set(copiers.map(\.copy.subject.output.name))
            let others = outputs.filter { !names.contains($0.name) }
            let shown = outputs.filter { names.contains($0.name) }
            // At the beginning the person has to choose.
            guard size.area > 0, !shown.isEmpty, !others.isEmpty else { throw error }
            for output in others where leftOut.insert(output.name).inserted {
                warn(
                    "The monitor \(output.name) is not recorded, since the picture has no room for it; record it in a take "
                        + "of its own.")
            }
            return shown
        }
    }

    // MARK: Frames

    /// The frame's size and orientation are the only output's, or the joined frame's.
    private func follow() {
        let (newSize, turn) =
            joined.map { ($0.size, .up) } ?? (copiers[0].size ?? size, copiers[0].orientation ?? orientation)
        guard newSize != size || turn != orientation else { return }
        (size, orientation) = (newSize, turn)
        isNew = true
    }

    private func takeFrames(_ damage: inout DamageRegion) {
        for copier in copiers {
            guard let frame = copier.takeFrame() else { continue }
            if copiers.count == 1, joined != nil {
                // The others have gone, and its frame can be read in place from now on.
                joined = nil
                isNew = true
            }
            if joined == nil { follow() }
            if damage.size != size { damage = .full(size: size) }
            if let joined {
                for place in joined.draw(frame.damage, of: copier) { damage.insert(place) }
            } else {
                let all = PixelRect(size: size)
                for rect in frame.damage ?? [all] { damage.insert(rect.intersection(all)) }
            }
        }
        // An output tells its orientation without a frame.
        follow()
        screen.connection.flush()
    }

    /// Nanoseconds for the outputs of a desktop to send other frames: one that sleeps sends none.
    private static let discardTimeout: Int64 = 1_000_000_000

    public func discardFrames() {
        for copier in copiers { copier.discardFrame() }
        discardedUntil = joined == nil ? nil : MonotonicClock.now() + Self.discardTimeout
    }

    /// A frame was discarded, and there is no other one yet.
    private var isStale: Bool { copiers.contains(where: \.copy.isStale) }

    public func read(_ region: DamageRegion, into receive: (FramePart) -> Void) throws(VideoSourceError) -> Bool {
        if isStale {
            // The damage is not asked for again.
            isNew = true
            return false
        }
        for rect in region.rectangles() {
            if let joined {
                receive(FramePart(rect: rect, pixels: joined.first(of: rect), stride: joined.stride))
            } else if let (first, stride, packing) = copiers[0].pixels(of: rect) {
                if packing == .bgra {
                    receive(FramePart(rect: rect, pixels: first, stride: stride))
                } else {
                    convert(rect, first, stride, packing, into: receive)
                }
            }
        }
        return true
    }

    private func expireDiscarded() {
        guard let discardedUntil, MonotonicClock.now() >= discardedUntil else { return }
        self.discardedUntil = nil
        guard let joined else { return }
        for copier in copiers where copier.copy.isStale {
            joined.blacken(copier.copy.subject.output.name)
            copier.copy.isStale = false
            isNew = true
        }
    }

    /// Passes a rectangle on in rows of tiles, each converted into the same memory.
    private func convert(
        _ rect: PixelRect, _ first: UnsafeRawPointer, _ stride: Int, _ packing: PackedPixels,
        into receive: (FramePart) -> Void
    ) {
        let rows = DamageRegion.tileSide
        let band = band.memory(size.width * rows * 4)
        for top in Swift.stride(from: rect.y, to: rect.maxY, by: rows) {
            let part = PixelRect(x: rect.x, y: top, width: rect.width, height: min(rows, rect.maxY - top))
            packing.convert(
                first + (top - rect.y) * stride, stride: stride, to: band, targetStride: part.width * 4,
                width: part.width, height: part.height)
            receive(FramePart(rect: part, pixels: band, stride: part.width * 4))
        }
    }
}
