// Owns a Wayland seat's selection and answers pasting programs, by ext-data-control-v1 or wlr-data-control-unstable-v1.
import CWayland
import Glibc
import KinePlatform
import KineWayland
import SystemPackage

/// Used on the clipboard's thread.
final class DataControlOwner: CallbackTarget {
    private struct Owned {
        let offered: OfferedText
        let source: OpaquePointer
        /// Until this instant, a clipboard manager may still request the text.
        let settled: Int64
    }

    private struct Acquisition {
        let answer: Clipboard.Answer<Void>
        let deadline: Int64
    }

    private let compositor: Compositor
    private let place: Clipboard.Place
    private var transfers = DataTransfers()
    private var owned: Owned?
    /// All sources that the compositor has not cancelled.
    private var sources: Set<OpaquePointer> = []
    /// Requests that wait until the compositor has given the selection to their source.
    private var acquisitions: [Acquisition] = []
    /// Every announced offer, and whether a member of a group made it.
    private var offers: [OpaquePointer: Bool] = [:]
    private var selection: OpaquePointer?
    private var device: OpaquePointer?
    private var isSeatGone = false

    /// Nanoseconds in which a clipboard manager requests a new text.
    private static let settlingTime: Int64 = 300_000_000
    /// The names that other programs use: those with capitals come from X.
    private static let textTypes = ["text/plain;charset=utf-8", "text/plain", "UTF8_STRING", "TEXT", "STRING"]

    private let deviceListener = Listener(
        ext_data_control_device_v1_add_listener,
        ext_data_control_device_v1_listener(
            data_offer: { context, _, offer in DataControlOwner.from(context).appeared(offer) },
            selection: { context, _, offer in DataControlOwner.from(context).selected(offer) },
            finished: { context, _ in DataControlOwner.from(context).isSeatGone = true },
            primary_selection: { context, _, offer in DataControlOwner.from(context).remove(offer) }))
    private let offerListener = Listener(
        ext_data_control_offer_v1_add_listener,
        ext_data_control_offer_v1_listener { context, offer, type in
            guard let offer, let type, String(cString: type) == Clipboard.groupType else { return }
            DataControlOwner.from(context).offers[offer] = true
        })
    private let sourceListener = Listener(
        ext_data_control_source_v1_add_listener,
        ext_data_control_source_v1_listener(
            send: { context, source, type, descriptor in
                DataControlOwner.from(context).asked(source, type.map { String(cString: $0) } ?? "", descriptor)
            },
            cancelled: { context, source in DataControlOwner.from(context).cancelled(source) }))

    init(_ compositor: Compositor, _ place: Clipboard.Place) {
        self.compositor = compositor
        self.place = place
    }

    deinit {
        for proxy in Array(offers.keys) + sources + [device].compactMap(\.self) { wl_proxy_destroy(proxy) }
    }

    /// Returns after `end` was called, or when the compositor has gone. Throws if it does not answer at first.
    func serve(_ loop: ClipboardLoop) throws(Clipboard.Error) {
        device = compositor.makeDevice(deviceListener, callbackData)
        // After this, the current selection is known.
        try compositor.waitForAnswers()
        while !compositor.isBroken, !isSeatGone {
            for request in loop.requests.drain() { carryOut(request) }
            let now = MonotonicClock.now()
            if let acquisition = acquisitions.first, acquisition.deadline <= now { break }
            let ending = loop.ending.map { min($0, transfers.isGiving ? .max : owned?.settled ?? now) }
            if let ending, ending <= now { break }
            var entries = loop.requests.pollEntries + transfers.entries
            let deadlines = [transfers.nextDeadline, acquisitions.first?.deadline, ending]
            compositor.handleEvents(or: &entries, until: deadlines.compactMap(\.self).min())
            let ready = Set(entries.dropFirst().filter { $0.revents != 0 }.map(\.fd))
            transfers.proceed(with: ready, at: MonotonicClock.now())
        }
        loop.markOver()
        for acquisition in acquisitions { acquisition.answer(.failure(.noConnection(place))) }
        acquisitions = []
        transfers.fail(.noConnection(place))
    }

    private func carryOut(_ request: Clipboard.Request) {
        switch request {
        case .own(let text, let answer): own(text, answer)
        case .read(let answer): read(answer)
        }
    }

    private func own(_ text: ClipboardText, _ answer: @escaping Clipboard.Answer<Void>) {
        guard let source = compositor.makeSource(sourceListener, callbackData) else {
            return answer(.failure(.noConnection(place)))
        }
        for type in Self.textTypes + [Clipboard.groupType] { ext_data_control_source_v1_offer(source, type) }
        ext_data_control_device_v1_set_selection(device, source)
        // The compositor cancels the previous source.
        sources.insert(source)
        let now = MonotonicClock.now()
        owned = Owned(offered: OfferedText(text), source: source, settled: now + Self.settlingTime)
        acquisitions.append(Acquisition(answer: answer, deadline: now + Compositor.timeout))
        compositor.afterAnswers { [unowned self] in
            let acquisition = acquisitions.removeFirst()
            acquisition.answer(owned == nil ? .failure(.notOwned) : .success(()))
        }
    }

    private func cancelled(_ source: OpaquePointer?) {
        guard let source else { return }
        if owned?.source == source { owned = nil }
        sources.remove(source)
        ext_data_control_source_v1_destroy(source)
    }

    private func asked(_ source: OpaquePointer?, _ type: String, _ descriptor: Int32) {
        guard let owned, owned.source == source else {
            close(descriptor)
            return
        }
        let bytes = type == Clipboard.groupType ? owned.offered.grouped : owned.offered.utf8
        transfers.give(bytes, through: descriptor, at: MonotonicClock.now())
    }

    private func read(_ answer: @escaping DataTransfers.Answer) {
        if let owned { return answer(.success(owned.offered.text)) }
        guard let selection, offers[selection] == true else { return answer(.success(nil)) }
        guard let pipe = try? FileDescriptor.pipe() else { return answer(.failure(.noAnswer)) }
        // The owner has the other end, and need not expect a non-blocking one.
        _ = fcntl(pipe.readEnd.rawValue, F_SETFL, O_NONBLOCK)
        ext_data_control_offer_v1_receive(selection, Clipboard.groupType, pipe.writeEnd.rawValue)
        try? pipe.writeEnd.close()
        transfers.receive(from: pipe.readEnd.rawValue, at: MonotonicClock.now(), answer)
    }

    private func appeared(_ offer: OpaquePointer?) {
        guard let offer else { return }
        offers[offer] = false
        offerListener.attach(to: offer, callbackData)
    }

    /// Nil: the clipboard is empty.
    private func selected(_ offer: OpaquePointer?) {
        if selection != offer { remove(selection) }
        selection = offer
    }

    private func remove(_ offer: OpaquePointer?) {
        guard let offer, offers.removeValue(forKey: offer) != nil else { return }
        ext_data_control_offer_v1_destroy(offer)
    }
}
