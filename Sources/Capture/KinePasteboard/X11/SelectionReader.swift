// Reads a text of a group's member from the clipboard. ICCCM 2.0, 2.4 and 2.7.2.
import CXCB

/// One reading at a time. Used on the clipboard's thread.
struct SelectionReader {
    typealias Answer = Clipboard.Answer<ClipboardText?>

    private enum State {
        case idle
        /// Waits for the owner's answer until `deadline`.
        case asked(Answer, deadline: Int64)
        /// The text comes in pieces: the next until `deadline`, the last until `end`.
        case collecting(Answer, [UInt8], deadline: Int64, end: Int64)
    }

    /// Nanoseconds for the owner's answer and for each piece.
    private static let timeout: Int64 = 3_000_000_000
    /// Nanoseconds for a whole text.
    private static let wholeTimeout: Int64 = 20_000_000_000

    private let server: XServer
    private var state = State.idle
    private var waiting: [Answer] = []

    init(_ server: XServer) { self.server = server }

    var nextDeadline: Int64? {
        switch state {
        case .idle: nil
        case .asked(_, let deadline), .collecting(_, _, let deadline, _): deadline
        }
    }

    mutating func read(_ answer: @escaping Answer, at now: Int64) {
        waiting.append(answer)
        proceed(at: now)
    }

    private mutating func proceed(at now: Int64) {
        guard case .idle = state, !waiting.isEmpty else { return }
        let answer = waiting.removeFirst()
        state = .asked(answer, deadline: now + Self.timeout)
        // Without an owner, the server itself answers.
        server.convert(.clipboard, to: .group, in: .data, at: xcb_timestamp_t(XCB_CURRENT_TIME))
    }

    /// Handles the owner's answer. `property`: 0 if it has no such text.
    mutating func answered(_ property: xcb_atom_t, at now: Int64) {
        guard case .asked(let answer, _) = state else { return }
        guard property != 0 else { return finish(answer, .success(nil), at: now) }
        guard
            let value = server.get(server[.data], of: server.window, deleting: true, limit: ClipboardText.groupedLimit)
        else {
            return finish(answer, .failure(.noAnswer), at: now)
        }
        if value.type == server[.incremental] {
            state = .collecting(answer, [], deadline: now + Self.timeout, end: now + Self.wholeTimeout)
        } else {
            finish(answer, value.isCut ? .failure(.tooLong) : .success(ClipboardText(grouped: value.bytes)), at: now)
        }
    }

    mutating func changed(at now: Int64) {
        guard case .collecting(let answer, var bytes, _, let end) = state,
            let value = server.get(server[.data], of: server.window, deleting: true, limit: ClipboardText.groupedLimit)
        else { return }
        bytes += value.bytes
        if value.bytes.isEmpty {
            finish(answer, .success(ClipboardText(grouped: bytes)), at: now)
        } else if bytes.count > ClipboardText.groupedLimit || value.isCut {
            finish(answer, .failure(.tooLong), at: now)
        } else {
            state = .collecting(answer, bytes, deadline: min(now + Self.timeout, end), end: end)
        }
    }

    mutating func expire(at now: Int64) {
        guard let nextDeadline, nextDeadline <= now else { return }
        switch state {
        case .idle: break
        case .asked(let answer, _), .collecting(let answer, _, _, _): finish(answer, .failure(.noAnswer), at: now)
        }
    }

    mutating func fail(_ error: Clipboard.Error) {
        switch state {
        case .idle: break
        case .asked(let answer, _), .collecting(let answer, _, _, _): answer(.failure(error))
        }
        state = .idle
        for answer in waiting { answer(.failure(error)) }
        waiting = []
    }

    private mutating func finish(
        _ answer: Answer, _ result: Result<ClipboardText?, Clipboard.Error>, at now: Int64
    ) {
        state = .idle
        answer(result)
        proceed(at: now)
    }
}
