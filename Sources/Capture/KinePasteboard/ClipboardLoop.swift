// The clipboard's thread: polls the display and the requests.
import KinePlatform

/// Used on the clipboard's thread.
struct ClipboardLoop {
    let requests: Mailbox<Clipboard.Request>
    let state: Monitor<Clipboard.State>

    /// Returns after `end` was called.
    func run(_ places: [Clipboard.Place]) {
        var failure: Clipboard.Error?
        for place in places {
            do throws(Clipboard.Error) {
                try serve(place)
                failure = .noConnection(place)
                break
            } catch {
                failure = error
            }
        }
        markOver()
        guard let failure else { return }
        // Without a display, every request fails until the end.
        while true {
            for request in requests.drain() { request.fail(failure) }
            if ending != nil { return }
            _ = WakeSignal.poll([requests.descriptor], until: nil)
        }
    }

    /// Throws if the place has no clipboard. Returns after `end` was called, or when the display has gone.
    private func serve(_ place: Clipboard.Place) throws(Clipboard.Error) {
        switch place {
        case .x11(let display):
            guard let server = XServer(display: display) else { throw .noConnection(place) }
            SelectionOwner(server, place).serve(self)
        case .wayland(let display):
            let compositor = try Compositor(display: display)
            try DataControlOwner(compositor, place).serve(self)
        }
    }

    /// Sends the next request to a new object. Call before the failures are answered.
    func markOver() { state.withLock { $0.isOver = true } }

    /// The deadline for the end of the thread, once `end` was called (CLOCK_MONOTONIC, nanoseconds).
    var ending: Int64? { state.withLock { $0.ending } }
}

extension Clipboard.Request {
    func fail(_ error: Clipboard.Error) {
        switch self {
        case .own(_, let answer): answer(.failure(error))
        case .read(let answer): answer(.failure(error))
        }
    }
}
