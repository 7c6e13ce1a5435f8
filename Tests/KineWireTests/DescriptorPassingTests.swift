// Descriptors over a control connection: they arrive with their message, and none is left open by mistake.
import CLinux
import Glibc
import KinePlatform
import KineRings
import SystemPackage
import Testing

@testable import KineWire

@Suite(.serialized) struct DescriptorPassingTests {
    private func pair(
        receivingDescriptors: Bool = true
    ) throws -> (engine: SupervisorConnection, peer: ExtensionConnection) {
        let (engine, end) = try SupervisorConnection.pair()
        return (engine, try ExtensionConnection(adopting: end, receivingDescriptors: receivingDescriptors))
    }

    /// A pipe: its reading end tells when the last copy of the writing end has been closed.
    private func pipe() throws -> (reader: FileDescriptor, writer: FileDescriptor) {
        let ends = try FileDescriptor.pipe()
        #expect(fcntl(ends.readEnd.rawValue, F_SETFL, O_NONBLOCK) == 0)
        return (ends.readEnd, ends.writeEnd)
    }

    /// Whether nobody holds the writing end any more; at once, or soon: a process that another test starts holds a copy of
    /// every descriptor until it is another program.
    private func isAbandoned(_ reader: FileDescriptor) -> Bool {
        guard WakeSignal.poll([reader.rawValue], until: ControlConnectionTests.soon()) == [true] else { return false }
        return isAbandonedNow(reader)
    }

    private func isAbandonedNow(_ reader: FileDescriptor) -> Bool {
        var byte: UInt8 = 0
        return read(reader.rawValue, &byte, 1) == 0
    }

    private func note(_ text: String) -> ExtensionRequest { .annotate(["text": text], after: StreamPosition()) }

    @Test func `descriptors arrive with their message, in order, and close on exec`() throws {
        let (engine, peer) = try pair()
        let pipes = try (0..<3).map { _ in try pipe() }
        try engine.send(note("one"), descriptors: pipes.map(\.writer))
        for pipe in pipes { try pipe.writer.close() }
        #expect(try peer.receive(until: ControlConnectionTests.soon()) == [note("one")])
        let received = peer.removeDescriptors()
        #expect(received.count == 3)
        #expect(peer.removeDescriptors().isEmpty)
        for (index, descriptor) in received.enumerated() {
            #expect(fcntl(descriptor.rawValue, F_GETFD) & FD_CLOEXEC != 0)
            try descriptor.writeAll([UInt8(index)])
            try descriptor.close()
            var byte: UInt8 = 9
            #expect(read(pipes[index].reader.rawValue, &byte, 1) == 1)
            #expect(byte == UInt8(index))
            #expect(isAbandoned(pipes[index].reader))
            try pipes[index].reader.close()
        }
    }

    @Test func `descriptors of a message that has to wait arrive with it`() throws {
        let (engine, peer) = try pair()
        let pipe = try pipe()
        let long = note(String(repeating: "x", count: 900_000))
        try engine.send(long)
        try engine.send(note("with"), descriptors: [pipe.writer])
        try engine.send(note("after"))
        try pipe.writer.close()
        var requests: [ExtensionRequest] = []
        while requests.count < 3 {
            requests += try peer.readAvailable()
            #expect(requests.count < 2 ? peer.removeDescriptors().isEmpty : true)
            try engine.flush()
        }
        #expect(requests == [long, note("with"), note("after")])
        let received = peer.removeDescriptors()
        #expect(received.count == 1)
        for descriptor in received { try descriptor.close() }
        #expect(isAbandoned(pipe.reader))
    }

    @Test func `descriptors that nobody asked for are closed with the connection`() throws {
        let pipe = try pipe()
        do {
            let (engine, peer) = try pair()
            try engine.send(note("one"), descriptors: [pipe.writer])
            try pipe.writer.close()
            _ = try peer.receive(until: ControlConnectionTests.soon())
            #expect(!isAbandonedNow(pipe.reader))
        }
        #expect(isAbandoned(pipe.reader))
    }

    @Test func `descriptors of a message that is never sent are closed with the connection`() throws {
        let pipe = try pipe()
        do {
            let (engine, peer) = try pair()
            try engine.send(note(String(repeating: "x", count: 900_000)))
            try engine.send(note("with"), descriptors: [pipe.writer])
            try pipe.writer.close()
            #expect(!isAbandonedNow(pipe.reader))
            withExtendedLifetime(peer) {}
        }
        #expect(isAbandoned(pipe.reader))
    }

    @Test func `descriptors that came with garbage are closed`() throws {
        let (end, other) = try UnixSocket.pair()
        let peer = try ExtensionConnection(adopting: end, receivingDescriptors: true)
        let pipe = try pipe()
        #expect(try UnixSocket.send([0xff, 0xff, 0xff, 0xff], descriptors: [pipe.writer], to: other) == 4)
        try pipe.writer.close()
        #expect(throws: ControlError.self) { try peer.readAvailable() }
        #expect(isAbandoned(pipe.reader))
        #expect(peer.removeDescriptors().isEmpty)
        try other.close()
    }

    @Test func `descriptors beyond the limit are closed`() throws {
        let (engine, peer) = try pair()
        let pipes = try (0..<24).map { _ in try pipe() }
        for pipe in pipes {
            try engine.send(note("one"), descriptors: [pipe.writer])
            try pipe.writer.close()
        }
        _ = try peer.readAvailable()
        let received = peer.removeDescriptors()
        #expect(received.count == 16)
        #expect(pipes[16...].allSatisfy { isAbandoned($0.reader) })
        #expect(pipes[..<16].allSatisfy { !isAbandonedNow($0.reader) })
        for descriptor in received { try descriptor.close() }
        for pipe in pipes { try pipe.reader.close() }
    }

    @Test func `descriptors beyond what a message may carry are closed by the kernel`() throws {
        let (end, other) = try UnixSocket.pair()
        let peer = try ExtensionConnection(adopting: end, receivingDescriptors: true)
        let frames = try ControlEncoder.frame(ControlHello()) + ControlEncoder.frame(note("many"))
        let pipes = try (0..<40).map { _ in try pipe() }
        // Three times what is received at once, in one message: the kernel cuts it off (MSG_CTRUNC).
        try sendTooMany(pipes.map(\.writer), with: frames, to: other)
        for pipe in pipes { try pipe.writer.close() }
        #expect(try peer.readAvailable() == [note("many")])
        let received = peer.removeDescriptors()
        #expect(received.count == 16)
        #expect(pipes[16...].allSatisfy { isAbandoned($0.reader) })
        #expect(pipes[..<16].allSatisfy { !isAbandonedNow($0.reader) })
        for descriptor in received { try descriptor.close() }
        #expect(pipes.allSatisfy { isAbandoned($0.reader) })
        try other.close()
    }

    @Test func `an end that does not want descriptors gets none`() throws {
        let (engine, peer) = try pair(receivingDescriptors: false)
        let pipe = try pipe()
        do {
            try engine.send(note("one"), descriptors: [pipe.writer])
            #expect(try peer.readAvailable() == [note("one")])
        } catch {
            // Linux 6.16 and later refuse them.
            #expect(error == .system(call: "send", .notPermitted))
        }
        try pipe.writer.close()
        #expect(peer.removeDescriptors().isEmpty)
        #expect(isAbandoned(pipe.reader))
    }

    /// sendmsg with as many descriptors as asked for; the shim refuses.
    private func sendTooMany(
        _ descriptors: [FileDescriptor], with bytes: [UInt8], to socket: FileDescriptor
    ) throws {
        // cmsghdr: length, level SOL_SOCKET, type SCM_RIGHTS (1), then the descriptors (unix(7)).
        var control = [Int32]()
        let length = 16 + descriptors.count * 4
        control += [Int32(length), 0, Int32(SOL_SOCKET), 1]
        control += descriptors.map(\.rawValue)
        var bytes = bytes
        let sent = bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = length
                    return sendmsg(socket.rawValue, &message, 0)
                }
            }
        }
        try #require(sent == bytes.count)
    }
}
