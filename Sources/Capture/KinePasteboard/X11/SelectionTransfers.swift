// Sends a text to pasting programs: at once, or in pieces if it is long. ICCCM 2.0, 2.2 and 2.7.2.
import CXCB

/// The transfers to other clients. Used on the clipboard's thread.
struct SelectionTransfers {
    private struct Place: Hashable {
        var window: xcb_window_t
        var property: xcb_atom_t
    }

    private struct Transfer {
        var type: xcb_atom_t
        var rest: ArraySlice<UInt8>
        /// The deadline: the other client may have gone.
        var deadline: Int64
    }

    /// Nanoseconds for a client to read each piece.
    private static let timeout: Int64 = 5_000_000_000
    /// One more ends the longest waiting transfer, so that clients that do not read block no others.
    private static let most = 32

    private let server: XServer
    private var transfers: [Place: Transfer] = [:]

    init(_ server: XServer) { self.server = server }

    var isEmpty: Bool { transfers.isEmpty }
    var nextDeadline: Int64? { transfers.values.map(\.deadline).min() }

    /// Writes the bytes into a property of the client's window, or the first piece.
    mutating func give(
        _ bytes: [UInt8], type: xcb_atom_t, to window: xcb_window_t, _ property: xcb_atom_t, at now: Int64
    ) {
        guard bytes.count > server.pieceLimit else {
            return server.set(property, of: window, type: type, bytes: bytes)
        }
        if transfers.count >= Self.most, let oldest = transfers.min(by: { $0.value.deadline < $1.value.deadline }) {
            remove(oldest.key)
        }
        // Before the property exists, because the client deletes it at once.
        server.watch(window, true)
        server.set(property, of: window, type: server[.incremental], words: [UInt32(bytes.count)])
        transfers[Place(window: window, property: property)] = Transfer(
            type: type, rest: bytes[...], deadline: now + Self.timeout)
    }

    /// A client has deleted a property, which means that it has read that piece. The last piece is empty.
    mutating func deleted(_ property: xcb_atom_t, of window: xcb_window_t, at now: Int64) {
        let place = Place(window: window, property: property)
        guard var transfer = transfers[place] else { return }
        let piece = transfer.rest.prefix(server.pieceLimit)
        server.set(property, of: window, type: transfer.type, bytes: piece)
        guard !piece.isEmpty else { return remove(place) }
        transfer.rest = transfer.rest.dropFirst(piece.count)
        transfer.deadline = now + Self.timeout
        transfers[place] = transfer
    }

    mutating func expire(at now: Int64) {
        for (place, transfer) in transfers where transfer.deadline <= now { remove(place) }
    }

    private mutating func remove(_ place: Place) {
        transfers[place] = nil
        if !transfers.keys.contains(where: { $0.window == place.window }) { server.watch(place.window, false) }
    }
}
