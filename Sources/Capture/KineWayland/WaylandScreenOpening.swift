// Opens the screen of a Wayland session: requests the globals, chooses the outputs, and waits for their first frames.
import KineCapture
import KineMedia
import KinePlatform

/// Polled by the capture thread; no call waits.
public final class WaylandScreenOpening: VideoSourceOpening {
    private enum State {
        /// The compositor sends its globals, then its outputs: two roundtrips.
        case asking(answers: Int)
        /// `goOn`: when the outputs that have no frame by then are black.
        case copying([any OutputCopier], goOn: Int64?)
    }

    /// Nanoseconds for each step of the compositor.
    private static let timeout: Int64 = 10_000_000_000
    /// Nanoseconds after the first output's frame for the others: one that sleeps sends none.
    private static let sleepTimeout: Int64 = 500_000_000

    private let target: WaylandScreenSource.Target
    private let showsCursor: Bool
    private let warn: @Sendable (String) -> Void
    private let screen: WaylandScreen
    private var state = State.asking(answers: 0)
    private var end = MonotonicClock.now() + WaylandScreenOpening.timeout

    /// - Parameters:
    ///   - display: the compositor's name, as in WAYLAND_DISPLAY.
    ///   - warn: gets sentences for the person about monitors that are not recorded.
    public init(
        _ target: WaylandScreenSource.Target, display: String, showsCursor: Bool,
        warn: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(VideoSourceError) {
        self.target = target
        self.showsCursor = showsCursor
        self.warn = warn
        screen = try WaylandScreen(display: display)
        expectAnswer()
    }

    public var descriptor: Int32 { screen.connection.descriptor }

    public var deadline: Int64? {
        guard case .copying(let copiers, let goOn) = state else { return end }
        return min(end, goOn ?? .max, copiers.compactMap(\.deadline).min() ?? .max)
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
        let now = MonotonicClock.now()
        if case .copying(let copiers, var goOn) = state {
            try screen.advance(copiers)
            let asleep = copiers.filter { !$0.hasFrame }
            goOn = asleep.count < copiers.count ? goOn ?? now + Self.sleepTimeout : nil
            if asleep.isEmpty || now >= goOn ?? .max {
                return try WaylandScreenSource(screen, target, copiers, showsCursor: showsCursor, warn: warn)
            }
            state = .copying(copiers, goOn: goOn)
            if now >= end { throw .monitorsSilent(asleep.map(\.copy.subject.output.name)) }
        }
        guard now < end else { throw .compositorSilent }
        return nil
    }

    private func choose() throws(VideoSourceError) {
        guard screen.copyProtocol != nil else { throw .noScreencopy }
        let pieces = try WaylandLayout.pieces(of: target, on: screen.outputs.all)
        end = MonotonicClock.now() + Self.timeout
        var copiers: [any OutputCopier] = []
        for piece in pieces {
            let subject = OutputCopy.Subject(output: FollowedMonitor(piece.output), part: piece.part)
            copiers.append(try screen.copier(of: subject, showsCursor: showsCursor))
        }
        state = .copying(copiers, goOn: nil)
    }
}
