// Finds the outputs of a target, and the positions of their frames.
import KineCapture
import KineMedia

enum WaylandLayout {
    /// One output, or a part of it.
    struct Piece: Equatable {
        var output: String
        /// The part of the output, in logical pixels from its corner; nil: all of it.
        var part: PixelRect?
    }

    /// Several outputs in one picture.
    struct Join: Equatable {
        var size: PixelSize
        /// Each output's rectangle in the picture, by the output's name.
        var places: [String: PixelRect]
    }

    /// The pieces of a target; a desktop has several.
    static func pieces(
        of target: WaylandScreenSource.Target, on outputs: [WaylandOutput]
    ) throws(VideoSourceError) -> [Piece] {
        guard !outputs.isEmpty else { throw .noOutput }
        switch target {
        case .monitor(let name): return [Piece(output: try output(named: name, on: outputs).name)]
        case .desktop: return outputs.map { Piece(output: $0.name) }
        case .region(let region): return [try piece(of: region, on: outputs)]
        }
    }

    /// Case does not matter.
    static func output(named name: String, on outputs: [WaylandOutput]) throws(VideoSourceError) -> WaylandOutput {
        guard let output = outputs.first(where: { $0.name.lowercased() == name.lowercased() }) else {
            throw .noMonitor(name, existing: outputs.map(\.name))
        }
        return output
    }

    private static func piece(of region: PixelRect, on outputs: [WaylandOutput]) throws(VideoSourceError) -> Piece {
        let touched = outputs.filter { !$0.bounds.intersection(region).isEmpty }
        guard let output = touched.first else { throw .outsideScreen(region, screen: bounds(outputs).size) }
        guard touched.count == 1 else { throw .regionOnSeveralMonitors(touched.map(\.name)) }
        var part = region.intersection(output.bounds)
        part.x -= output.bounds.x
        part.y -= output.bounds.y
        return Piece(output: output.name, part: part)
    }

    /// The picture of all outputs: upright, in their arrangement, as dense as the densest of them. The others are enlarged. If that
    /// is more than an encoder takes, less dense, but at least as dense as the least dense of them.
    static func join(_ outputs: [WaylandOutput]) throws(VideoSourceError) -> Join {
        let desktop = bounds(outputs)
        let densities = outputs.map { Double($0.uprightSize.width) / Double(max(1, $0.bounds.width)) }
        let limit = Double(VideoCodec.frameSides.upperBound) / Double(max(1, desktop.width, desktop.height))
        let density = min(densities.max() ?? 1, limit)
        guard density > 0, density >= densities.min() ?? 1 else { throw .monitorsTooLarge(outputs.map(\.name)) }
        func pixels(_ logical: Int) -> Int { Int((Double(logical) * density).rounded()) }
        var join = Join(
            size: PixelSize(width: pixels(desktop.width), height: pixels(desktop.height)), places: [:])
        for output in outputs {
            let (x, y) = (pixels(output.bounds.x - desktop.x), pixels(output.bounds.y - desktop.y))
            join.places[output.name] = PixelRect(
                x: x, y: y, width: pixels(output.bounds.maxX - desktop.x) - x,
                height: pixels(output.bounds.maxY - desktop.y) - y)
        }
        return join
    }

    /// The rectangle around all outputs, in logical pixels.
    static func bounds(_ outputs: [WaylandOutput]) -> PixelRect {
        let left = outputs.map(\.bounds.x).min() ?? 0
        let top = outputs.map(\.bounds.y).min() ?? 0
        return PixelRect(
            x: left, y: top, width: (outputs.map(\.bounds.maxX).max() ?? 0) - left,
            height: (outputs.map(\.bounds.maxY).max() ?? 0) - top)
    }
}
