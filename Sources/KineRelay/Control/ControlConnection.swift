// One end of a control channel over a connected unix socket. It never blocks unless asked to wait with a deadline, so an
// engine can serve several from one poll loop, and a peer that stops reading costs it a bounded buffer and no time.
import CLinux
import Glibc
import KinePlatform
import Synchronization
import SystemPackage

/// Why a control channel cannot be used, or not any longer.
public enum ControlError: Swift.Error, Equatable, Sendable, CustomStringConvertible {
    /// The process at the other end belongs to another user.
    case foreignPeer(uid: Int64)
    /// What came in cannot be understood; see the decoder's error.
    case protocolError(ControlDecoder.Error)
    /// The other end is gone.
    case closed
    /// The other end has not read for so long that what waits for it outgrew its buffer.
    case peerTooSlow
    /// A message of ours cannot be written as JSON.
    case unencodable(String)
    /// The path is longer than a unix socket's address can be, in bytes.
    case pathTooLong(String, limit: Int)
    /// A system call failed.
    case system(call: String, Errno)

    public var description: String {
        switch self {
        case .foreignPeer(let uid):
            "The process at the other end of the control socket belongs to user \(uid); use that user's account instead."
        case .protocolError(let error): error.description
        case .closed: "The process at the other end of the control socket has ended; kinecast status shows what runs."
        case .peerTooSlow:
            "The process at the other end of the control socket does not read; stop it, or wait until it answers."
        case .unencodable(let reason): "A control message cannot be written as JSON (\(reason)); please report this."
        case .pathTooLong(let path, let limit):
            "The socket path \(path) is longer than the \(limit) bytes that unix sockets allow; "
                + "set XDG_RUNTIME_DIR or TMPDIR to a shorter directory."
        case .system(let call, let errno):
            "The control socket failed in \(call): \(errno); try again, or see kinecast doctor."
        }
    }
}

/// A connected control channel; Owns its descriptor and closes it when it
/// goes away. Any thread may call it.
public final class ControlConnection<Received: Decodable & Sendable, Sent: Encodable & Sendable>: Sendable {
    private struct State {
        var decoder = ControlDecoder()
        var output: [UInt8] = []
        var sent = 0
        /// Copies of descriptors that go with the byte of `output` at that index, in order.
        var outgoing: [(index: Int, descriptors: [FileDescriptor])] = []
        /// Descriptors that came and were not taken.
        var incoming: [FileDescriptor] = []
        var peerHasClosed = false
        var isBroken = false
        /// What broke it, until it has been told.
        var failure: ControlError?
    }

    /// The most bytes that wait for a peer that does not read.
    public static var outputLimit: Int { 2 * ControlDecoder.messageLimit }

    /// Bytes that are read before what came whole is handed out.
    private static var mostAtOnce: Int { 64 * 1024 }

    /// The socket, for poll. Do not read, write or close it.
    public let descriptor: FileDescriptor
    /// The process at the other end when it connected.
    public let peerProcess: Int32
    private let receivesDescriptors: Bool
    private let state: Mutex<State>

    /// The most descriptors that one message carries, and that are kept until they are taken; more are closed.
    public static var descriptorLimit: Int { Int(KINE_DESCRIPTOR_LIMIT) }

    /// Takes over a connected unix socket, checks whose process is at the other end, and queues the hello. Where it throws,
    /// the socket is closed. Descriptors that the peer sends are dropped unless `receivingDescriptors` is set.
    public init(adopting socket: FileDescriptor, receivingDescriptors: Bool = false) throws(ControlError) {
        descriptor = socket
        receivesDescriptors = receivingDescriptors
        state = Mutex(State())
        peerProcess = Int32(truncatingIfNeeded: kine_peer_pid(socket.rawValue))
        do {
            try UnixSocket.setNonBlockingAndCloseOnExec(socket)
        } catch {
            throw .system(call: "fcntl", error)
        }
        let uid = kine_peer_uid(socket.rawValue)
        guard uid >= 0 else { throw .system(call: "getsockopt", Errno(rawValue: errno)) }
        guard uid == Int64(getuid()) else { throw .foreignPeer(uid: uid) }
        try enqueue(ControlHello())
    }

    deinit {
        state.withLock { Self.closeDescriptors(&$0) }
        try? descriptor.close()
    }

    /// What to poll the descriptor for: always input, output while something waits to be sent.
    public var pollEvents: Int16 {
        state.withLock { Int16($0.output.isEmpty || $0.isBroken ? POLLIN : POLLIN | POLLOUT) }
    }

    /// Whether the other end has closed, or this one has given up on it. No message will come any more.
    public var isClosed: Bool { state.withLock { $0.peerHasClosed || $0.isBroken } }

    /// The messages that have arrived whole, of at most 64 KB at once, so that a peer that writes without end keeps nobody; does
    /// not wait. Also sends what waited, so it is all that a poll loop calls. An empty array with `isClosed` set is the end of the stream.
    public func readAvailable() throws(ControlError) -> [Received] {
        let result: Result<[Received], ControlError> = state.withLock { state in
            if let failure = state.failure {
                state.failure = nil
                return .failure(failure)
            }
            if !state.isBroken { _ = push(&state) }
            var messages: [Received] = []
            do {
                try withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 16) { chunk in
                    var left = Self.mostAtOnce
                    while left > 0, !state.peerHasClosed, !state.isBroken,
                        let count = try receive(into: chunk, &state)
                    {
                        left -= count
                        if count == 0 { state.peerHasClosed = true }
                        state.decoder.append(chunk[..<count])
                        while let message = try state.decoder.next(Received.self) { messages.append(message) }
                    }
                }
                return .success(messages)
            } catch {
                breakOff(&state)
                let failure =
                    (error as? ControlDecoder.Error).map(ControlError.protocolError)
                    ?? .system(call: "recv", error as? Errno ?? .ioError)
                if messages.isEmpty { return .failure(failure) }
                // What came whole before the fault is still good; the fault is told on the next call.
                state.failure = failure
                return .success(messages)
            }
        }
        return try result.get()
    }

    /// Sends a message, or as much of it as the peer takes now; the rest goes when `readAvailable` or `flush` is next called.
    /// `descriptors`, at most `descriptorLimit`, arrive with it; they stay the caller's, who may close them at once.
    public func send(_ message: Sent, descriptors: [FileDescriptor] = []) throws(ControlError) {
        precondition(descriptors.count <= Self.descriptorLimit, "more descriptors than a message carries")
        try enqueue(message, descriptors: descriptors)
    }

    /// The descriptors that have come, in the order in which they were sent; they are the caller's now. Those of a message are
    /// here when the message is.
    public func takeDescriptors() -> [FileDescriptor] {
        state.withLock { state in
            defer { state.incoming = [] }
            return state.incoming
        }
    }

    /// Whether there may be something to read, without reading it; does not wait.
    public var hasInput: Bool { UnixSocket.isReadable(descriptor) }

    /// Sends what waits. True when nothing does any more.
    @discardableResult
    public func flush() throws(ControlError) -> Bool {
        try state.withLock { state -> Result<Bool, ControlError> in
            if state.isBroken { return .failure(.closed) }
            if let error = push(&state) { return .failure(error) }
            return .success(state.output.isEmpty)
        }.get()
    }

    /// Waits until all that was sent has been taken by the kernel, at most until CLOCK_MONOTONIC reaches `deadline`
    /// (nanoseconds). True where it has. For a last message before the process ends.
    public func drain(until deadline: Int64) -> Bool {
        while true {
            guard let done = try? flush() else { return false }
            if done { return true }
            guard UnixSocket.wait(descriptor, for: Int16(POLLOUT), until: deadline, now: MonotonicClock.now) else {
                return false
            }
        }
    }

    /// Waits until at least one message has come, at most until CLOCK_MONOTONIC reaches `deadline` (nanoseconds). Empty
    /// when the time is up; throws `.closed` when the other end is gone. Blocks: not for Swift's cooperative pool.
    public func receive(until deadline: Int64) throws(ControlError) -> [Received] {
        while true {
            let messages = try readAvailable()
            if !messages.isEmpty { return messages }
            if isClosed { throw .closed }
            guard UnixSocket.wait(descriptor, for: pollEvents, until: deadline, now: MonotonicClock.now) else {
                return []
            }
        }
    }

    /// Ends the connection now; the other end sees the end of the stream. The descriptor stays open until this object goes.
    public func close() { state.withLock { breakOff(&$0) } }

    private func receive(into chunk: UnsafeMutableRawBufferPointer, _ state: inout State) throws(Errno) -> Int? {
        guard receivesDescriptors else { return try UnixSocket.receive(from: descriptor, into: chunk) }
        let count = try UnixSocket.receive(from: descriptor, into: chunk, descriptors: &state.incoming)
        while state.incoming.count > Self.descriptorLimit { try? state.incoming.removeLast().close() }
        return count
    }

    private func enqueue(_ message: some Encodable, descriptors: [FileDescriptor] = []) throws(ControlError) {
        let frame: [UInt8]
        do {
            frame = try ControlEncoder.frame(message)
        } catch {
            throw .unencodable("\(error)")
        }
        let failure: ControlError? = state.withLock { state in
            if state.isBroken { return .closed }
            if let error = push(&state) { return error }
            guard state.output.count - state.sent + frame.count <= Self.outputLimit else {
                breakOff(&state)
                return .peerTooSlow
            }
            if !descriptors.isEmpty {
                // Copies, for the message may have to wait and the caller's may be closed meanwhile.
                var copies: [FileDescriptor] = []
                for descriptor in descriptors {
                    let copy = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 0)
                    guard copy >= 0 else {
                        let failure = ControlError.system(call: "fcntl", Errno(rawValue: errno))
                        for copy in copies { try? copy.close() }
                        return failure
                    }
                    copies.append(FileDescriptor(rawValue: copy))
                }
                state.outgoing.append((state.output.count, copies))
            }
            state.output.append(contentsOf: frame)
            return push(&state)
        }
        if let failure { throw failure }
    }

    /// Sends what the peer takes. A peer that is gone is an error here, yet what it sent before can still be read.
    private func push(_ state: inout State) -> ControlError? {
        do {
            while state.sent < state.output.count {
                var end = state.output.count
                var descriptors: [FileDescriptor] = []
                if let next = state.outgoing.first {
                    // Descriptors go with their message's first byte, and no byte of it before them.
                    if next.index == state.sent {
                        descriptors = next.descriptors
                        if state.outgoing.count > 1 { end = state.outgoing[1].index }
                    } else {
                        end = next.index
                    }
                }
                let count = try UnixSocket.send(
                    state.output[state.sent..<end], descriptors: descriptors, to: descriptor)
                if count == 0 { break }
                state.sent += count
                if !descriptors.isEmpty {
                    for descriptor in state.outgoing.removeFirst().descriptors { try? descriptor.close() }
                }
            }
            if state.sent == state.output.count {
                state.output = []
                state.sent = 0
            } else if state.sent >= 65536 {
                state.output.removeFirst(state.sent)
                for index in state.outgoing.indices { state.outgoing[index].index -= state.sent }
                state.sent = 0
            }
            return nil
        } catch {
            state.output = []
            state.sent = 0
            Self.closeOutgoing(&state)
            return error == .brokenPipe || error == .connectionReset ? .closed : .system(call: "send", error)
        }
    }

    private func breakOff(_ state: inout State) {
        state.isBroken = true
        state.output = []
        state.sent = 0
        Self.closeDescriptors(&state)
        shutdown(descriptor.rawValue, Int32(SHUT_RDWR))
    }

    private static func closeDescriptors(_ state: inout State) {
        closeOutgoing(&state)
        for descriptor in state.incoming { try? descriptor.close() }
        state.incoming = []
    }

    private static func closeOutgoing(_ state: inout State) {
        for message in state.outgoing {
            for descriptor in message.descriptors { try? descriptor.close() }
        }
        state.outgoing = []
    }
}

extension ControlConnection {
    /// Connects to a control socket that is listened on at `path`.
    public convenience init(connectingTo path: FilePath) throws(ControlError) {
        let socket: FileDescriptor
        do {
            socket = try UnixSocket.connect(to: path)
        } catch {
            switch error {
            case .fileNameTooLong: throw .pathTooLong(path.string, limit: UnixSocket.pathLimit)
            case .connectionRefused, .noSuchFileOrDirectory: throw .closed
            default: throw .system(call: "connect", error)
            }
        }
        try self.init(adopting: socket)
    }

    /// One end of a new socket pair, and the descriptor of the other end for a process that is about to be started. The caller
    /// closes that descriptor once the process has inherited it.
    public static func pair() throws(ControlError) -> (near: ControlConnection, farEnd: FileDescriptor) {
        let ends: (FileDescriptor, FileDescriptor)
        do {
            ends = try UnixSocket.pair()
        } catch {
            throw .system(call: "socketpair", error)
        }
        do {
            return (try ControlConnection(adopting: ends.0), ends.1)
        } catch {
            try? ends.1.close()
            throw error
        }
    }
}
