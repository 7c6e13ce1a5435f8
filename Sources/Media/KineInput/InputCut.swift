// A part of a sample of an input track, as a sample that can be read without the rest.
import KineMedia

extension InputLine {
    /// The part of a sample in `times`, as lines of a sample that begins with them or where it began. They have nothing from outside.
    ///
    /// - Parameters:
    ///   - text: the sample's.
    ///   - start: the time at which it begins.
    ///   - times: as `start`.
    /// - Returns: no images if the sample begins before `times`: the caller adds those that `missingImages` names. Empty if the sample is
    ///   damaged.
    public static func cut(_ text: [UInt8], from start: MediaTime, to times: Range<MediaTime>) -> [InputLine] {
        // A millisecond that is only partly inside is outside.
        let first = max(0, (times.lowerBound - start).nanoseconds + 999_999) / 1_000_000
        let end = max(0, (times.upperBound - start).nanoseconds) / 1_000_000
        return cut(
            lines(of: text) ?? [], from: Int(first), to: Int(end), keepsImages: start >= times.lowerBound)
    }

    /// - Parameters:
    ///   - lines: a sample's, the state first.
    ///   - start: milliseconds from the sample's beginning.
    ///   - end: likewise.
    static func cut(_ lines: [InputLine], from start: Int, to end: Int, keepsImages: Bool = false) -> [InputLine] {
        guard case .state(var state)? = lines.first else { return [] }
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
        // An image that only lines after the end use is from outside.
        let used = Set(kept.compactMap(\.usedImage) + [state.image].compactMap(\.self))
        return [.state(state)] + kept.filter { $0.definedImage.map { used.contains($0.name) } ?? true }
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
    var time: Int? {
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
