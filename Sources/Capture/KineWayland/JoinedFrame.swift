// The frame of several outputs: each upright at its place in the desktop, black elsewhere.
import KineImaging
import KineMedia

/// Used on one thread.
final class JoinedFrame {
    let layout: WaylandLayout.Join
    let stride: Int
    private let pixels: OwnedMemory
    /// The plan of each output, by the output's name.
    private var plans: [String: PicturePlan] = [:]
    /// Holds an output's pixels as BGRA from the top down, if the compositor stores them otherwise.
    private var converted = ScratchMemory()

    init(_ layout: WaylandLayout.Join) {
        self.layout = layout
        stride = layout.size.width * 4
        pixels = OwnedMemory(zeros: max(4, stride * layout.size.height))
    }

    var size: PixelSize { layout.size }

    func first(of rect: PixelRect) -> UnsafeMutableRawPointer { pixels.base + rect.y * stride + rect.x * 4 }

    /// Makes the place of an output black.
    func blacken(_ output: String) {
        guard let place = layout.places[output] else { return }
        for y in place.y..<place.maxY {
            first(of: PixelRect(x: place.x, y: y, width: place.width, height: 1))
                .initializeMemory(as: UInt8.self, repeating: 0, count: place.width * 4)
        }
    }

    /// Draws what has changed of an output's frame; nil: all of it. Returns where the frame has changed.
    func draw(_ changed: [PixelRect]?, of copier: any OutputCopier) -> [PixelRect] {
        let name = copier.copy.subject.output.name
        guard let place = layout.places[name], let source = copier.size, source.area > 0, place.size.area > 0,
            !copier.copy.isDiscarded
        else {
            return []
        }
        let geometry = PictureGeometry(source: source, orientation: copier.orientation ?? .up).filling(place.size)
        let isNew = plans[name]?.geometry != geometry
        if isNew { plans[name] = PicturePlan(geometry) }
        guard let plan = plans[name], let picture = picture(of: copier) else { return [] }
        let rects = (isNew ? nil : changed) ?? [PixelRect(size: source)]
        return rects.compactMap { rect in
            let part = geometry.map(rect)
            guard !part.isEmpty else { return nil }
            let target = part.offset(x: place.x, y: place.y)
            plan.draw(part, of: picture, to: first(of: target), stride: stride)
            return target
        }
    }

    /// The copier's frame; in place if its pixels are BGRA from the top down. Valid until the next call.
    private func picture(of copier: any OutputCopier) -> PictureSource? {
        guard let size = copier.size, let (first, stride, packing) = copier.pixels(of: PixelRect(size: size)) else {
            return nil
        }
        if packing == .bgra, stride > 0 { return .bgra(base: first, stride: stride) }
        let memory = converted.memory(size.area * 4)
        packing.convert(
            first, stride: stride, to: memory, targetStride: size.width * 4, width: size.width, height: size.height)
        return .bgra(base: UnsafeRawPointer(memory), stride: size.width * 4)
    }
}
