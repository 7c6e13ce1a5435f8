// Finds the outputs of a target, and the positions of their frames.
import KineCapture
import KineMedia

enum WaylandLayout {
    /// One output, or a part of it, in the source's frame.
    struct Piece: Equatable {
        var output: String
        /// The part of the output, in logical pixels from its corner; nil: all of it.
        var part: PixelRect?
        /// The position of its first pixel in the source's frame.
        var origin = (x: 0, y: 0)

        static func == (a: Piece, b: Piece) -> Bool {
            a.output == b.output && a.part == b.part && a.origin == b.origin
        }
    }

    /// The pieces of a target. A desktop has several, which must fit together without turning or scaling.
    static func pieces(
        of target: WaylandScreenSource.Target, on outputs: [WaylandOutput]
    ) throws(VideoSourceError) -> [Piece] {
        guard let first = outputs.first else { throw .noOutput }
        switch target {
        case .monitor(let name):
            return [Piece(output: try output(named: name, on: outputs).name)]
        case .desktop where outputs.count == 1: return [Piece(output: first.name)]
        case .desktop: return try joined(outputs)
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

    /// The frame has the outputs' own pixels, so they can be joined only if all are upright and have the same density.
    private static func joined(_ outputs: [WaylandOutput]) throws(VideoSourceError) -> [Piece] {
        let corner = bounds(outputs)
        var pieces: [Piece] = []
        for output in outputs {
            // Compared in thousandths, because the factor may be a fraction.
            guard output.bounds.width > 0, output.orientation == .up, factor(output) == factor(outputs[0]) else {
                throw .monitorsDiffer(outputs.map(\.name))
            }
            func pixels(_ logical: Int) -> Int { logical * output.pixelSize.width / output.bounds.width }
            pieces.append(
                Piece(
                    output: output.name,
                    origin: (pixels(output.bounds.x - corner.x), pixels(output.bounds.y - corner.y))))
        }
        return pieces
    }

    private static func factor(_ output: WaylandOutput) -> Int {
        output.pixelSize.width * 1000 / max(1, output.bounds.width)
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
