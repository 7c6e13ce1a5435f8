// One end of a pair of packet sockets: each packet arrives complete or not at all, with its descriptors. Linux.
import CLinux
import Glibc
import KinePlatform
import SystemPackage

/// A connected packet socket. Owns its descriptor. No method blocks.
package final class PacketSocket: Sendable {
    package enum Reading: Equatable {
        case packet(FramePacket, [FileDescriptor])
        /// No packet is available now.
        case none
        case closed
        /// The bytes are not a packet.
        case protocolViolation
    }

    package let descriptor: FileDescriptor

    package init(adopting descriptor: FileDescriptor) { self.descriptor = descriptor }

    deinit { try? descriptor.close() }

    /// Two connected descriptors, closed on exec and non-blocking.
    package static func pair() throws(Errno) -> (FileDescriptor, FileDescriptor) {
        try UnixSocket.pair(keepsPackets: true)
    }

    /// Returns false if the other end has closed, or does not read.
    package func send(_ packet: FramePacket, descriptors: [FileDescriptor] = []) -> Bool {
        guard let bytes = packet.bytes,
            let sent = try? UnixSocket.send(bytes[...], descriptors: descriptors, to: descriptor)
        else { return false }
        return sent == bytes.count
    }

    /// The next packet. The caller owns its descriptors.
    package func receive() -> Reading {
        withUnsafeTemporaryAllocation(byteCount: FramePacket.limit, alignment: 8) { buffer in
            var descriptors: [FileDescriptor] = []
            let count: Int?
            do throws(Errno) {
                count = try UnixSocket.receive(from: descriptor, into: buffer, descriptors: &descriptors)
            } catch {
                return .closed
            }
            guard let count else { return .none }
            guard count > 0 else {
                // An empty packet may have descriptors.
                for descriptor in descriptors { try? descriptor.close() }
                return .closed
            }
            guard let packet = FramePacket(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else {
                for descriptor in descriptors { try? descriptor.close() }
                return .protocolViolation
            }
            return .packet(packet, descriptors)
        }
    }

    /// Ends the connection now, for both ends.
    package func close() { shutdown(descriptor.rawValue, Int32(SHUT_RDWR)) }
}
