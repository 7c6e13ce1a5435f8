// Bytes that a peer has not read yet, and their descriptors.
import Glibc
import KinePlatform
import SystemPackage

/// Frames that wait to be sent. Owns copies of their descriptors until they are sent or removed.
struct OutgoingFrames {
    private var bytes: [UInt8] = []
    private var sent = 0
    /// The descriptors to send with the byte of `bytes` at that index, in order.
    private var passed: [(index: Int, descriptors: [FileDescriptor])] = []

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count - sent }

    /// Copies the descriptors: the frame may have to wait, and the caller may close its own meanwhile.
    mutating func append(_ frame: [UInt8], descriptors: [FileDescriptor]) throws(Errno) {
        var copies: [FileDescriptor] = []
        for descriptor in descriptors {
            let copy = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else {
                let failure = Errno(rawValue: errno)
                for copy in copies { try? copy.close() }
                throw failure
            }
            copies.append(FileDescriptor(rawValue: copy))
        }
        if !copies.isEmpty { passed.append((bytes.count, copies)) }
        bytes.append(contentsOf: frame)
    }

    /// Sends as much as the peer accepts now.
    mutating func send(to socket: FileDescriptor) throws(Errno) {
        while sent < bytes.count {
            // Descriptors are sent with their frame's first byte, which must not be sent without them.
            let descriptors = passed.first.flatMap { $0.index == sent ? $0.descriptors : nil } ?? []
            let end = passed.dropFirst(descriptors.isEmpty ? 0 : 1).first?.index ?? bytes.count
            let count = try UnixSocket.send(bytes[sent..<end], descriptors: descriptors, to: socket)
            if count == 0 { break }
            sent += count
            if !descriptors.isEmpty {
                for descriptor in passed.removeFirst().descriptors { try? descriptor.close() }
            }
        }
        if sent == bytes.count {
            bytes = []
            sent = 0
        } else if sent >= 65536 {
            bytes.removeFirst(sent)
            for index in passed.indices { passed[index].index -= sent }
            sent = 0
        }
    }

    mutating func removeAll() {
        for message in passed {
            for descriptor in message.descriptors { try? descriptor.close() }
        }
        self = OutgoingFrames()
    }
}
