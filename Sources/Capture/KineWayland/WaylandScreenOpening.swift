// Opens the screen of a Wayland session: requests the globals, chooses the outputs, and waits for their first frames.
import KineCapture
import KineMedia
import KinePlatform

/// Polled by the capture thread; no call waits.
public final class WaylandScreenOpening: VideoSourceOpening {
    private enum State {
        /// The compositor sends its globals, then its outputs: two roundtrips.
        case asking(answers: Int)
        case copying([(copier: any OutputCopier, origin: (x: Int, y: Int))])
    }

    /// Nanoseconds for each step of the compositor.
    private static let timeout: Int64 = 10_000_000_000

    private let target: WaylandScreenSource.Target
    private let showsCursor: Bool
    private let screen: WaylandScreen
    private var state = State.asking(answers: 0)
    private var end = MonotonicClock.now() + WaylandScreenOpening.timeout

    /// - Parameters:
    ///   - display: the compositor's name, as in WAYLAND_DISPLAY.
    public init(
        _ target: WaylandScreenSource.Target, display: String, showsCursor: Bool
    ) throws(VideoSourceError) {
        self.target = target
        self.showsCursor = showsCursor
        screen = try WaylandScreen(display: display)
        expectAnswer()
    }

    public var descriptor: Int32 { screen.connection.descriptor }

    public var deadline: Int64? {
        guard case .copying(let copiers) = state else { return end }
        return min(end, copiers.compactMap(\.copier.deadline).min() ?? .max)
    }

    private func expectAnswer() {
        screen.connection.afterAnswers { [unowned self] in
            guard case .asking(let answers) = state else { return }
            state = .asking(answers: answers + 1)
            if answers == 0 { expectAnswer() }
        }
    }

    public func processEvents() throws(VideoSourceError) -> (any VideoSource)? {
        try screen.handleEvents()
        if case .asking(let answers) = state, answers >= 2 { try choose() }
        if case .copying(let copiers) = state {
            try screen.advance(copiers.lazy.map(\.copier))
            if copiers.allSatisfy(\.copier.hasFrame) { return WaylandScreenSource(screen, copiers) }
        }
        guard MonotonicClock.now() < end else { throw .compositorSilent }
        return nil
    }

    private func choose() throws(VideoSourceError) {
        guard screen.copyProtocol != nil else { throw .noScreencopy }
        let pieces = try WaylandLayout.pieces(of: target, on: screen.outputs.all)
        end = MonotonicClock.now() + Self.timeout
        var copiers: [(copier: any OutputCopier, origin: (x: Int, y: Int))] = []
        for piece in pieces {
            let subject = OutputCopy.Subject(output: piece.output, part: piece.part)
            copiers.append((try screen.copier(of: subject, showsCursor: showsCursor), piece.origin))
        }
        state = .copying(copiers)
    }
}
