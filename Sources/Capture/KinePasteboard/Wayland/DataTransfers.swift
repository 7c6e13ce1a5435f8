// Transfers of texts by descriptors, which other programs may read and write slowly.
import Glibc
import SystemPackage

/// The transfers in progress. Used on the clipboard's thread.
struct DataTransfers {
    typealias Answer = Clipboard.Answer<ClipboardText?>

    private struct Outgoing {
        let descriptor: Int32
        var rest: ArraySlice<UInt8>
        var deadline: Int64
    }

    private struct Incoming {
        let descriptor: Int32
        let answer: Answer
        /// The deadline for the whole text.
        let end: Int64
        var bytes: [UInt8] = []
        var deadline: Int64
    }

    /// Nanoseconds for the other program to read or write each piece.
    private static let timeout: Int64 = 3_000_000_000
    /// Nanoseconds for a whole text.
    private static let wholeTimeout: Int64 = 20_000_000_000
    /// The most transfers in one direction. One more outgoing transfer ends the longest waiting one, so that programs
    /// that do not read block no others.
    private static let most = 64

    private var outgoing: [Outgoing] = []
    private var incoming: [Incoming] = []

    var isGiving: Bool { !outgoing.isEmpty }
    var nextDeadline: Int64? { (outgoing.map(\.deadline) + incoming.map(\.deadline)).min() }

    /// For poll, and then for `proceed`.
    var entries: [pollfd] {
        outgoing.map { pollfd(fd: $0.descriptor, events: Int16(POLLOUT), revents: 0) }
            + incoming.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    }

    /// Takes ownership of the descriptor.
    mutating func give(_ bytes: [UInt8], through descriptor: Int32, at now: Int64) {
        defer { close(descriptor) }
        // Opened again, because the other program shares this descriptor and could make writes block. That works only
        // for pipes, but programs pass only pipes.
        guard (try? FileDescriptor(rawValue: descriptor).stat())?.type == .fifo else { return }
        let own = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        guard own >= 0 else { return }
        if outgoing.count >= Self.most,
            let oldest = outgoing.indices.min(by: { outgoing[$0].deadline < outgoing[$1].deadline })
        {
            close(outgoing.remove(at: oldest).descriptor)
        }
        outgoing.append(Outgoing(descriptor: own, rest: bytes[...], deadline: now + Self.timeout))
    }

    /// Takes ownership of the descriptor, the non-blocking reading end of a pipe.
    mutating func receive(from descriptor: Int32, at now: Int64, _ answer: @escaping Answer) {
        guard incoming.count < Self.most else {
            close(descriptor)
            return answer(.failure(.noAnswer))
        }
        incoming.append(
            Incoming(
                descriptor: descriptor, answer: answer, end: now + Self.wholeTimeout, deadline: now + Self.timeout))
    }

    /// - Parameter ready: the descriptors that can be written or read.
    mutating func proceed(with ready: Set<Int32>, at now: Int64) {
        for index in outgoing.indices.reversed() {
            let isOver = ready.contains(outgoing[index].descriptor) && write(index, at: now)
            if isOver || outgoing[index].deadline <= now { close(outgoing.remove(at: index).descriptor) }
        }
        for index in incoming.indices.reversed() {
            var result: Result<ClipboardText?, Clipboard.Error>?
            if ready.contains(incoming[index].descriptor) { result = read(index, at: now) }
            if result == nil, incoming[index].deadline <= now { result = .failure(.noAnswer) }
            if let result { end(incoming.remove(at: index), result) }
        }
    }

    mutating func fail(_ error: Clipboard.Error) {
        for transfer in outgoing { close(transfer.descriptor) }
        outgoing = []
        for transfer in incoming { end(transfer, .failure(error)) }
        incoming = []
    }

    private func end(_ transfer: Incoming, _ result: Result<ClipboardText?, Clipboard.Error>) {
        close(transfer.descriptor)
        transfer.answer(result)
    }

    /// Returns true when all is written or the reader has gone.
    private mutating func write(_ index: Int, at now: Int64) -> Bool {
        while !outgoing[index].rest.isEmpty {
            let count = outgoing[index].rest.withUnsafeBytes {
                Glibc.write(outgoing[index].descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno != EAGAIN }
            outgoing[index].rest = outgoing[index].rest.dropFirst(count)
            outgoing[index].deadline = now + Self.timeout
        }
        return true
    }

    /// Nil: there is more to come.
    private mutating func read(_ index: Int, at now: Int64) -> Result<ClipboardText?, Clipboard.Error>? {
        var piece = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(incoming[index].descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return errno == EAGAIN ? nil : .failure(.noAnswer) }
            if count == 0 { return .success(ClipboardText(grouped: incoming[index].bytes)) }
            incoming[index].bytes += piece[..<count]
            incoming[index].deadline = min(now + Self.timeout, incoming[index].end)
            if incoming[index].bytes.count > ClipboardText.groupedLimit { return .failure(.tooLong) }
        }
    }
}
