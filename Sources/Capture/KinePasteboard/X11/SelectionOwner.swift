// Owns the selection CLIPBOARD and answers pasting programs (ICCCM 2.0, 2). At the end, follows the clipboard manager
// specification of freedesktop.org.
import CXCB
import Glibc
import KinePlatform

/// Used on the clipboard's thread.
final class SelectionOwner {
    private typealias Acquisition = (text: ClipboardText, answer: Clipboard.Answer<Void>)

    /// The text that this client offers as the selection's owner, since `time` by the server's clock.
    private struct Owned {
        let offered: OfferedText
        let time: xcb_timestamp_t
    }

    private enum Saving {
        case notBegun
        case asked
        case done
    }

    private let server: XServer
    private let place: Clipboard.Place
    private var transfers: SelectionTransfers
    private var reader: SelectionReader
    private var owned: Owned?
    /// Requests that wait for the server's time, at which ownership begins.
    private var acquisitions: [Acquisition] = []
    private var saving = Saving.notBegun

    init(_ server: XServer, _ place: Clipboard.Place) {
        self.server = server
        self.place = place
        transfers = SelectionTransfers(server)
        reader = SelectionReader(server)
    }

    /// Returns after `end` was called, or when the server has gone.
    func serve(_ loop: ClipboardLoop) {
        while !server.isBroken {
            for request in loop.requests.drain() { carryOut(request) }
            let now = MonotonicClock.now()
            transfers.expire(at: now)
            reader.expire(at: now)
            let ending = loop.ending
            if let ending {
                save()
                if now >= ending || saving == .done && transfers.isEmpty { break }
            }
            let hadEvents = handleEvents(xcb_poll_for_event)
            xcb_flush(server.handle)
            // Those events may end the wait. A blocked flush has also read events, which poll would not see.
            if handleEvents(xcb_poll_for_queued_event) || hadEvents { continue }
            PollLoop.wait(
                for: loop.requests, ReadableDescriptor(server.descriptor),
                until: transfers.nextDeadline, reader.nextDeadline, ending)
        }
        loop.markOver()
        for acquisition in acquisitions { acquisition.answer(.failure(.noConnection(place))) }
        reader.fail(.noConnection(place))
    }

    private func carryOut(_ request: Clipboard.Request) {
        switch request {
        case .own(let text, let answer):
            acquisitions.append((text, answer))
            // The event of this change carries the server's time (ICCCM 2.1).
            server.set(server[.time], of: server.window, type: XServer.integerType, words: [])
        case .read(let answer):
            if let owned { answer(.success(owned.offered.text)) } else { reader.read(answer, at: MonotonicClock.now()) }
        }
    }

    private func handleEvents(
        _ next: (OpaquePointer?) -> UnsafeMutablePointer<xcb_generic_event_t>?
    ) -> Bool {
        var count = 0
        while let event = next(server.handle) {
            defer { free(event) }
            count += 1
            // Errors come from windows that have gone. Sent events are treated like others.
            switch Int32(event.pointee.response_type & 0x7f) {
            case XCB_SELECTION_REQUEST: requested(Self.read(event))
            case XCB_SELECTION_CLEAR: cleared(Self.read(event))
            case XCB_SELECTION_NOTIFY: notified(Self.read(event))
            case XCB_PROPERTY_NOTIFY: propertyChanged(Self.read(event))
            default: break
            }
        }
        return count > 0
    }

    private static func read<Event>(_ event: UnsafeMutablePointer<xcb_generic_event_t>) -> Event {
        UnsafeRawPointer(event).load(as: Event.self)
    }

    private func propertyChanged(_ event: xcb_property_notify_event_t) {
        let isDeleted = event.state == UInt8(XCB_PROPERTY_DELETE.rawValue)
        if event.window != server.window {
            if isDeleted { transfers.deleted(event.atom, of: event.window, at: MonotonicClock.now()) }
        } else if event.atom == server[.time] {
            acquire(at: event.time)
        } else if event.atom == server[.data], !isDeleted {
            reader.changed(at: MonotonicClock.now())
        }
    }

    private func acquire(at time: xcb_timestamp_t) {
        guard !acquisitions.isEmpty else { return }
        let acquisition = acquisitions.removeFirst()
        xcb_set_selection_owner(server.handle, server.window, server[.clipboard], time)
        guard server.owner(of: .clipboard) == server.window else {
            owned = nil
            return acquisition.answer(.failure(.notOwned))
        }
        owned = Owned(offered: OfferedText(acquisition.text), time: time)
        acquisition.answer(.success(()))
    }

    private func cleared(_ event: xcb_selection_clear_event_t) {
        // The reason may be a newer ownership of this client.
        if event.selection == server[.clipboard], server.owner(of: .clipboard) != server.window { owned = nil }
    }

    private func notified(_ event: xcb_selection_notify_event_t) {
        if event.selection == server[.manager] {
            saving = .done
        } else if event.selection == server[.clipboard] {
            reader.answered(event.property, at: MonotonicClock.now())
        }
    }

    private func requested(_ request: xcb_selection_request_event_t) {
        // Clients of the first convention let the owner choose the property (ICCCM 2.2).
        let property = request.property == 0 ? request.target : request.property
        guard let owned, request.selection == server[.clipboard],
            request.time == 0 || request.time &- owned.time < 1 << 31
        else { return server.notify(request, property: 0) }
        let isGiven =
            request.target == server[.multiple]
            ? giveMultiple(owned, request) : give(owned, request.target, to: request.requestor, property)
        server.notify(request, property: isGiven ? property : 0)
    }

    /// Writes pairs of a target and a property into the request's property; pairs that cannot be converted lose theirs.
    private func giveMultiple(_ owned: Owned, _ request: xcb_selection_request_event_t) -> Bool {
        guard request.property != 0,
            let value = server.get(request.property, of: request.requestor, deleting: false, limit: 512),
            value.format == 32
        else { return false }
        var words = value.bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
        for index in stride(from: 0, to: words.count - 1, by: 2)
        where words[index] == server[.multiple] || !give(owned, words[index], to: request.requestor, words[index + 1]) {
            words[index + 1] = 0
        }
        server.set(request.property, of: request.requestor, type: server[.atomPair], words: words)
        return true
    }

    private func give(
        _ owned: Owned, _ target: xcb_atom_t, to window: xcb_window_t, _ property: xcb_atom_t
    ) -> Bool {
        guard property != 0 else { return false }
        let now = MonotonicClock.now()
        func give(_ bytes: [UInt8], as type: xcb_atom_t) -> Bool {
            transfers.give(bytes, type: type, to: window, property, at: now)
            return true
        }
        switch target {
        case server[.targets]:
            let targets: [XServer.Atom] = [
                .targets, .timestamp, .multiple, .saveTargets, .utf8String, .plainUTF8, .text, .group,
            ]
            server.set(
                property, of: window, type: XServer.atomType, words: targets.map { server[$0] } + [XServer.latinString])
            return true
        case server[.timestamp]:
            server.set(property, of: window, type: XServer.integerType, words: [owned.time])
            return true
        case server[.saveTargets]:
            server.set(property, of: window, type: server[.null], bytes: [])
            return true
        case server[.utf8String], server[.plainUTF8]: return give(owned.offered.utf8, as: target)
        case server[.text]: return give(owned.offered.utf8, as: server[.utf8String])
        case XServer.latinString: return give(owned.offered.text.text.unicodeScalars.map(\.latin), as: target)
        case server[.group]: return give(owned.offered.grouped, as: target)
        default: return false
        }
    }

    /// Asks the clipboard manager to copy the text, which would end with this process.
    private func save() {
        guard saving == .notBegun else { return }
        guard let owned, server.owner(of: .manager) != 0 else {
            saving = .done
            return
        }
        saving = .asked
        server.set(
            server[.save], of: server.window, type: XServer.atomType,
            words: [server[.utf8String], server[.plainUTF8], server[.group]])
        server.convert(.manager, to: .saveTargets, in: .save, at: owned.time)
    }
}

extension UnicodeScalar {
    /// The byte in ISO 8859-1, the encoding of the target STRING (ICCCM 2.6.2).
    fileprivate var latin: UInt8 { value < 0x100 ? UInt8(value) : UInt8(ascii: "?") }
}
