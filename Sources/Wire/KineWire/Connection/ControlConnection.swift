// One end of a control channel over a connected unix socket. It never blocks except in methods with a deadline, so an
// engine can serve several from one poll loop; a peer that stops reading costs a bounded buffer and no time.
import CLinux
import Glibc
import KinePlatform
import KineText
import Synchronization
import SystemPackage

/// A connected control channel. Owns its descriptor and closes it when released. May be called from any thread.
public final class ControlConnection<Received: ControlMessage, Sent: Encodable & Sendable>: PollSource, Sendable {
    private struct State {
        var decoder = ControlDecoder()
        var output = OutgoingFrames()
        /// Received descriptors, until `removeDescriptors`.
        var incoming: [FileDescriptor] = []
        var condition = Condition.open
    }

    private enum Condition {
        case open
        /// The other end has closed, perhaps in one direction only: waiting messages may still be sent.
        case peerClosed
        /// This end has broken off. The error stays until `readAvailable` has thrown it.
        case broken(ControlError?)

        var isBroken: Bool { if case .broken = self { true } else { false } }
    }

    /// The most bytes that wait for a peer that does not read.
    public static var outputLimit: Int { 2 * ControlDecoder.messageLimit }

    /// The number of bytes after which one call of `readAvailable` stops reading.
    private static var mostAtOnce: Int { 64 * 1024 }

    /// The socket, for poll. Do not read, write or close it.
    public let descriptor: FileDescriptor
    private let receivesDescriptors: Bool
    private let state: Mutex<State>

    /// The most descriptors in one message, and the most kept until `removeDescriptors`; more are closed.
    public static var descriptorLimit: Int { Int(KINE_DESCRIPTOR_LIMIT) }

    /// Adopts a connected unix socket, checks the user of the process at the other end, and queues the hello. Closes
    /// the socket if it throws. Descriptors are refused or dropped unless `receivingDescriptors` is set.
    public init(adopting socket: FileDescriptor, receivingDescriptors: Bool = false) throws(ControlError) {
        descriptor = socket
        receivesDescriptors = receivingDescriptors
        state = Mutex(State())
        do {
            try UnixSocket.setNonBlockingAndCloseOnExec(socket)
        } catch {
            throw .system(call: "fcntl", error)
        }
        let uid = kine_peer_uid(socket.rawValue)
        guard uid >= 0 else { throw .system(call: "getsockopt", Errno(rawValue: errno)) }
        guard uid == Int64(getuid()) else { throw .foreignPeer(uid: uid) }
        if !receivingDescriptors { kine_refuse_descriptors(socket.rawValue) }
        try enqueue(ControlHello(protocolNumber: Received.protocolNumber))
    }

    deinit {
        state.withLock { Self.removeAll(&$0) }
        try? descriptor.close()
    }

    /// The process at the other end; nil if the connection has ended, or if it is unknown.
    public var peer: ProcessHandle? {
        let pid = kine_peer_pid(descriptor.rawValue)
        guard pid > 0, let process = ProcessHandle(pid) else { return nil }
        // The process was still connected after the handle was created, so the number was its own.
        var entry = pollfd(fd: descriptor.rawValue, events: 0, revents: 0)
        return poll(&entry, 1, 0) == 0 ? process : nil
    }

    public var pollEntries: [pollfd] { [pollfd(fd: descriptor.rawValue, events: pollEvents, revents: 0)] }

    /// The events to poll the descriptor for: always input, and output while data waits to be sent.
    public var pollEvents: Int16 {
        state.withLock { Int16($0.output.isEmpty || $0.condition.isBroken ? POLLIN : POLLIN | POLLOUT) }
    }

    /// Whether the other end has closed, or this one has broken off. No message will come any more.
    public var isClosed: Bool {
        state.withLock { if case .open = $0.condition { false } else { true } }
    }

    /// The complete messages that have arrived, at most 64 KB at once, so that a peer that never stops writing does not
    /// block its reader. Does not wait. Also sends waiting data, so a poll loop calls nothing else. An empty array with
    /// `isClosed` set is the end of the stream.
    public func readAvailable() throws(ControlError) -> [Received] {
        try state.withLock { state throws(ControlError) in
            if case .broken(let failure?) = state.condition {
                state.condition = .broken(nil)
                throw failure
            }
            if !state.condition.isBroken { try? push(&state) }
            var messages: [Received] = []
            do throws(ControlError) {
                try read(&state, into: &messages)
            } catch {
                // Complete messages before the error are still valid; the next call throws the error.
                breakOff(&state, messages.isEmpty ? nil : error)
                if messages.isEmpty { throw error }
            }
            return messages
        }
    }

    /// Sends a message as far as the peer accepts it now; `readAvailable` or `flush` sends the rest. `descriptors`, at
    /// most `descriptorLimit`, arrive with it. The caller keeps its own and may close them at once.
    public func send(_ message: Sent, descriptors: [FileDescriptor] = []) throws(ControlError) {
        precondition(descriptors.count <= Self.descriptorLimit, "more descriptors than a message carries")
        try enqueue(message, descriptors: descriptors)
    }

    /// Sends a message like `send`. Returns a sentence if it cannot be encoded, because it is too long or not valid
    /// JSON: the other end does not get it, and may wait for it. Reading detects a connection that has ended.
    public func deliver(_ message: Sent, descriptors: [FileDescriptor] = []) -> String? {
        do throws(ControlError) {
            try send(message, descriptors: descriptors)
        } catch {
            if case .unencodable = error { return error.description }
        }
        return nil
    }

    /// The received descriptors in the order in which they were sent; the caller now owns them. They arrive no later
    /// than their message.
    public func removeDescriptors() -> [FileDescriptor] {
        state.withLock { state in
            defer { state.incoming = [] }
            return state.incoming
        }
    }

    /// The received descriptor that was sent first, if any is left. The caller owns it.
    public func removeFirstDescriptor() -> FileDescriptor? {
        state.withLock { $0.incoming.isEmpty ? nil : $0.incoming.removeFirst() }
    }

    /// The other end's hello; nil until it was read.
    public var peerHello: ControlHello? { state.withLock { $0.decoder.hello } }

    /// Whether the other end has not yet accepted all sent data.
    public var isPeerBehind: Bool { state.withLock { !$0.output.isEmpty } }

    /// Whether there may be input, without reading it; does not wait.
    public var hasInput: Bool { UnixSocket.isReadable(descriptor) }

    /// Sends the waiting messages. Returns true when none is left.
    @discardableResult
    public func flush() throws(ControlError) -> Bool {
        try state.withLock { state throws(ControlError) in
            if state.condition.isBroken { throw .closed }
            try push(&state)
            return state.output.isEmpty
        }
    }

    /// Waits until the kernel has accepted all data, at most until CLOCK_MONOTONIC reaches `deadline` (nanoseconds).
    /// Returns whether it has. For a last message before the process ends.
    public func drain(until deadline: Int64) -> Bool {
        while true {
            guard let done = try? flush() else { return false }
            if done { return true }
            guard UnixSocket.wait(descriptor, for: Int16(POLLOUT), until: deadline) else { return false }
        }
    }

    /// Waits for at least one message, at most until CLOCK_MONOTONIC reaches `deadline` (nanoseconds). Empty when the
    /// time is over; throws `.closed` when the other end has closed. Blocks: not for Swift's cooperative pool.
    public func receive(until deadline: Int64) throws(ControlError) -> [Received] {
        while true {
            let messages = try readAvailable()
            if !messages.isEmpty { return messages }
            if isClosed { throw .closed }
            guard UnixSocket.wait(descriptor, for: pollEvents, until: deadline) else { return [] }
        }
    }

    /// Ends the connection now; the other end sees the end of the stream. This object's release closes the descriptor.
    public func close() { state.withLock { breakOff(&$0, nil) } }

    /// Reads all input, up to the limit of one call.
    private func read(_ state: inout State, into messages: inout [Received]) throws(ControlError) {
        try withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 16) { chunk throws(ControlError) in
            var left = Self.mostAtOnce
            while left > 0, case .open = state.condition {
                do throws(Errno) {
                    guard let count = try receive(into: chunk, &state) else { return }
                    left -= count
                    if count == 0 { state.condition = .peerClosed }
                    state.decoder.append(chunk[..<count])
                } catch {
                    throw .system(call: "recv", error)
                }
                do throws(ControlDecoder.Error) {
                    while let message = try state.decoder.next(Received.self) { messages.append(message) }
                } catch {
                    throw .protocolError(error)
                }
            }
        }
    }

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
        } catch ControlDecoder.Error.tooLarge(let length, let limit) {
            throw .unencodable("it has \(length) bytes, and \(limit) are the limit")
        } catch {
            throw .unencodable("\(error)")
        }
        try state.withLock { state throws(ControlError) in
            if state.condition.isBroken { throw .closed }
            try push(&state)
            guard state.output.count + frame.count <= Self.outputLimit else {
                breakOff(&state, nil)
                throw .peerTooSlow
            }
            do throws(Errno) {
                try state.output.append(frame, descriptors: descriptors)
            } catch {
                throw .system(call: "fcntl", error)
            }
            try push(&state)
        }
    }

    /// Sends as much as the peer accepts. After an error here, earlier messages of the peer can still be read.
    private func push(_ state: inout State) throws(ControlError) {
        do throws(Errno) {
            try state.output.send(to: descriptor)
        } catch {
            state.output.removeAll()
            throw error == .brokenPipe || error == .connectionReset ? .closed : .system(call: "send", error)
        }
    }

    private func breakOff(_ state: inout State, _ failure: ControlError?) {
        state.condition = .broken(failure)
        Self.removeAll(&state)
        shutdown(descriptor.rawValue, Int32(SHUT_RDWR))
    }

    private static func removeAll(_ state: inout State) {
        state.output.removeAll()
        for descriptor in state.incoming { try? descriptor.close() }
        state.incoming = []
    }
}

extension ControlConnection {
    /// Connects to a control socket that is listened on at `path`.
    public convenience init(connectingTo path: FilePath, receivingDescriptors: Bool = false) throws(ControlError) {
        let socket: FileDescriptor
        do {
            socket = try UnixSocket.connect(to: path)
        } catch {
            switch error {
            case .fileNameTooLong: throw .pathTooLong(path.escaped, limit: UnixSocket.pathLimit)
            case .connectionRefused, .noSuchFileOrDirectory: throw .closed
            default: throw .system(call: "connect", error)
            }
        }
        try self.init(adopting: socket, receivingDescriptors: receivingDescriptors)
    }

    /// One end of a new socket pair, and the descriptor of the other end for a process to be started. The caller closes
    /// that descriptor when the process has inherited it.
    public static func pair(
        receivingDescriptors: Bool = false
    ) throws(ControlError) -> (near: ControlConnection, farEnd: FileDescriptor) {
        let ends: (FileDescriptor, FileDescriptor)
        do {
            ends = try UnixSocket.pair()
        } catch {
            throw .system(call: "socketpair", error)
        }
        do {
            return (try ControlConnection(adopting: ends.0, receivingDescriptors: receivingDescriptors), ends.1)
        } catch {
            try? ends.1.close()
            throw error
        }
    }
}
