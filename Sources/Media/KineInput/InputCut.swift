// A part of a sample of an input track, as a sample that can be read without the rest.
import KineMedia

extension InputLine {
    /// The part of a sample's lines between two times, as lines of a sample that begins at the first. What is outside is not in them.
    ///
    /// - Parameters:
    ///   - lines: a sample's, the state first.
    ///   - start: milliseconds from the sample's beginning.
    ///   - end: likewise; nil: the sample's end.
    ///   - keepsImages: otherwise the images are left out, and the caller adds those that `missingImages` names.
    /// - Returns: empty if `lines` is.
    public static func cut(
        _ lines: [InputLine], from start: Int, to end: Int? = nil, keepsImages: Bool = false
    ) -> [InputLine] {
        guard case .state(var state)? = lines.first else { return [] }
        let end = end ?? .max
        var kept: [InputLine] = []
        for line in lines.dropFirst() {
            if case .image = line {
                if keepsImages { kept.append(line) }
            } else if case .typing(let span) = line {
                let common = span.clamped(to: start..<max(start, end))
                if !common.isEmpty { kept.append(.typing(common.lowerBound - start..<common.upperBound - start)) }
            } else if case .way(let at, let from, let steps) = line {
                kept += way(at: at, from: from, steps, start..<max(start, end), &state)
            } else if let at = line.time, at >= start {
                if at < end { kept.append(line.moved(to: at - start)) }
            } else {
                line.apply(to: &state)
            }
        }
        return [.state(state)] + kept
    }

    /// The names of images that samples use without having them, or an earlier one of these samples.
    ///
    /// - Parameter samples: the lines of samples that follow each other.
    public static func missingImages(in samples: [[InputLine]]) -> [String] {
        var (defined, missing): (Set<String>, [String]) = ([], [])
        for lines in samples {
            defined.formUnion(lines.compactMap(\.definedImage?.name))
            for name in lines.compactMap(\.usedImage) where !defined.contains(name) && !missing.contains(name) {
                missing.append(name)
            }
        }
        return missing
    }

    /// The part of a way in `times`. Before that, it changes the state.
    private static func way(
        at: Int, from: PixelPoint, _ steps: [InputStep], _ times: Range<Int>, _ state: inout InputState
    ) -> [InputLine] {
        var (time, place) = (at, from)
        var part: (at: Int, from: PixelPoint, steps: [InputStep])?
        for step in [InputStep(after: 0, x: 0, y: 0)] + steps {
            // Sums of what a file claims.
            time = time.addingReportingOverflow(max(0, step.after)).partialValue
            place = PixelPoint(x: place.x &+ step.x, y: place.y &+ step.y)
            if time < times.lowerBound {
                state.pointer = place
            } else if time < times.upperBound {
                if part == nil {
                    part = (time - times.lowerBound, place, [])
                } else {
                    part?.steps.append(step)
                }
            }
        }
        return part.map { [.way(at: $0.at, from: $0.from, steps: $0.steps)] } ?? []
    }

    /// Milliseconds from the sample's beginning; nil for what has no time of its own, or several.
    private var time: Int? {
        switch self {
        case .state, .image, .way, .typing: nil
        case .pointerLeft(let at), .pointerImage(_, let at), .press(_, let at, _), .release(_, let at, _),
            .scroll(_, _, let at), .focus(_, let at), .change(_, let at):
            at
        }
    }

    private func moved(to at: Int) -> InputLine {
        switch self {
        case .state, .image, .way, .typing: self
        case .pointerLeft: .pointerLeft(at: at)
        case .pointerImage(let name, _): .pointerImage(name, at: at)
        case .press(let button, _, let place): .press(button, at: at, place)
        case .release(let button, _, let place): .release(button, at: at, place)
        case .scroll(let x, let y, _): .scroll(x: x, y: y, at: at)
        case .focus(let rect, _): .focus(rect, at: at)
        case .change(let rects, _): .change(rects, at: at)
        }
    }

    /// What holds after the line.
    private func apply(to state: inout InputState) {
        switch self {
        case .pointerLeft: state.pointer = nil
        case .pointerImage(let name, _): state.image = name
        case .press(let button, _, let place):
            state.pointer = place
            if !state.held.contains(button) { state.held.append(button) }
        case .release(let button, _, let place):
            state.pointer = place
            state.held.removeAll { $0 == button }
        case .focus(let rect, _): state.focus = rect
        case .state, .image, .way, .typing, .scroll, .change: break
        }
    }

    /// The image that the line has.
    public var definedImage: InputImage? { if case .image(let image) = self { image } else { nil } }

    /// The name of an image that the line uses.
    var usedImage: String? {
        switch self {
        case .state(let state): state.image
        case .pointerImage(let name, _): name
        default: nil
        }
    }
}
