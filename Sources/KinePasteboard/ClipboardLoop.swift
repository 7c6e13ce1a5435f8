// The clipboard's thread: one poll for the X server and for requests.
import CXCB
import Glibc
import KinePlatform

/// Used on the clipboard's thread.
final class ClipboardLoop {
    private let display: String
    private let mailbox: Monitor<X11Clipboard.Mailbox>
    private let wake: WakeSignal

    init(display: String, _ mailbox: Monitor<X11Clipboard.Mailbox>, _ wake: WakeSignal) {
        self.display = display
        self.mailbox = mailbox
        self.wake = wake
    }

    /// Returns when it is told to end.
    func run() {
        if let server = XServer(display: display) { ClipboardOwner(server, display: display).serve(mailbox, wake) }
        mailbox.withLock { $0.isOver = true }
        // Without a server, each request is answered so until the end.
        while mailbox.withLock({ $0.ending == nil }) {
            for request in Self.drain(mailbox, wake) { request.fail(.noConnection(display: display)) }
            _ = WakeSignal.poll([wake.descriptor], until: nil)
        }
        for request in Self.drain(mailbox, wake) { request.fail(.noConnection(display: display)) }
    }

    static func drain(_ mailbox: Monitor<X11Clipboard.Mailbox>, _ wake: WakeSignal) -> [X11Clipboard.Request] {
        wake.clear()
        return mailbox.withLock { contents in
            defer { contents.requests = [] }
            return contents.requests
        }
    }
}

extension X11Clipboard.Request {
    func fail(_ error: X11Clipboard.Error) {
        switch self {
        case .own(_, let answer): answer(.failure(error))
        case .read(let answer): answer(.failure(error))
        }
    }
}
