// What a person did in a whole recording, and what changed in its picture, at times of the recording.
import KineMedia

public struct InputHistory: Equatable, Sendable {
    public struct Place: Equatable, Sendable {
        public var time: MediaTime
        /// Nil: the pointer left the picture, or was hidden.
        public var point: PixelPoint?
    }

    public struct Press: Equatable, Sendable {
        public var time: MediaTime
        public var point: PixelPoint
        public var button: PointerButton
    }

    public struct Change: Equatable, Sendable {
        public var time: MediaTime
        public var rects: [PixelRect]
    }

    public struct Focus: Equatable, Sendable {
        public var time: MediaTime
        public var rect: PixelRect?
    }

    /// The first picture's.
    public private(set) var size: PixelSize
    /// In the order of their times, as all lists here.
    public private(set) var places: [Place] = []
    public private(set) var presses: [Press] = []
    public private(set) var scrolls: [MediaTime] = []
    public private(set) var typing: [Range<MediaTime>] = []
    public private(set) var changes: [Change] = []
    public private(set) var focus: [Focus] = []

    private var latest = MediaTime.zero

    /// - Parameter size: the picture's, for a recording without an input track.
    public init(size: PixelSize) { self.size = size }

    /// Whether clicks and typing are known: on Wayland they are not.
    public var knowsClicks: Bool { !presses.isEmpty || !typing.isEmpty || focus.contains { $0.rect != nil } }

    /// Adds the lines of the next sample.
    ///
    /// - Parameters:
    ///   - lines: the state first.
    ///   - start: the time at which the sample begins.
    public mutating func append(_ lines: [InputLine], from start: MediaTime) {
        guard case .state(let state)? = lines.first, state.size.isUsable else { return }
        // In their order, whatever a file claims.
        func time(_ at: Int) -> MediaTime {
            latest = max(latest, start + .milliseconds(Int64(at)))
            return latest
        }
        if start == .zero { size = state.size }
        note(state.pointer, at: start)
        note(state.focus, at: start)
        for line in lines.dropFirst() {
            switch line {
            case .way(let at, let from, let steps):
                var (at, place) = (at, from)
                note(place, at: time(at))
                for step in steps {
                    // Sums of what a file claims.
                    at = at.addingReportingOverflow(max(0, step.after)).partialValue
                    place = PixelPoint(x: place.x &+ step.x, y: place.y &+ step.y)
                    note(place, at: time(min(at, Int(Int32.max))))
                }
            case .pointerLeft(let at): note(nil as PixelPoint?, at: time(at))
            case .press(let button, let at, let point):
                presses.append(Press(time: time(at), point: point, button: button))
            case .scroll(_, _, let at): scrolls.append(time(at))
            case .typing(let span):
                note(start + .milliseconds(Int64(span.lowerBound))..<start + .milliseconds(Int64(span.upperBound)))
            case .focus(let rect, let at): note(rect, at: time(at))
            case .change(let rects, let at):
                let own = rects.map { $0.intersection(PixelRect(size: state.size)) }.filter { !$0.isEmpty }
                if !own.isEmpty { append(Change(time: time(at), rects: own)) }
            case .state, .image, .pointerImage, .release: break
            }
        }
    }

    /// The time from a change to the next one, at least.
    public static let changeInterval = MediaTime.milliseconds(Int64(InputScript.changeInterval))

    /// Adds a change of the picture that is later than all others.
    public mutating func append(_ changed: DamageRegion, at time: MediaTime) {
        append(Change(time: time, rects: InputScript.joined(changed.rectangles())))
    }

    private mutating func append(_ change: Change) { changes.append(change) }

    private mutating func note(_ point: PixelPoint?, at time: MediaTime) {
        if places.last?.point != point { places.append(Place(time: time, point: point)) }
    }

    private mutating func note(_ rect: PixelRect?, at time: MediaTime) {
        if focus.last?.rect != rect { focus.append(Focus(time: time, rect: rect)) }
    }

    /// Spans that touch are one (docs/input-track.md).
    private mutating func note(_ span: Range<MediaTime>) {
        if let last = typing.last, span.lowerBound <= last.upperBound {
            typing[typing.count - 1] = min(last.lowerBound, span.lowerBound)..<max(last.upperBound, span.upperBound)
        } else {
            typing.append(span)
        }
    }
}

extension InputHistory.Change {
    /// The part of the picture that it covers, from 0 to 1.
    func share(of size: PixelSize) -> Double {
        min(1, Double(rects.reduce(0) { $0 + $1.size.area }) / Double(max(1, size.area)))
    }

    var bounds: PixelRect {
        rects.dropFirst().reduce(rects.first ?? PixelRect(size: PixelSize(width: 0, height: 0))) { $0.union($1) }
    }
}

extension PixelSize {
    /// Whether it is a picture's: a file may claim anything.
    fileprivate var isUsable: Bool {
        VideoCodec.frameSides.contains(max(width, height)) && min(width, height) > 0
    }
}
