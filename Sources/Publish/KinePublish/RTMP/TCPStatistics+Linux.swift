// The kernel's statistics of a connection: its unsent bytes and those that have arrived (tcp(7), TCP_INFO).
import CLinux
import NIOCore

/// The state of a TCP connection at one moment.
struct TCPStatistics: Sendable, Equatable {
    /// Bytes that the peer has acknowledged since the connection was established.
    var deliveredBytes: Int64
    /// Bytes in the kernel that were not sent yet.
    var unsentBytes: Int
    /// Whether the peer has not acknowledged all sent data.
    var isUnacknowledged: Bool
    /// In nanoseconds.
    var roundTrip: Int64
    /// Retransmissions in a row without an acknowledgement: the network or the peer is unreachable. Zero for a peer
    /// that only does not read.
    var retransmissions: Int

    /// Succeeds with nil if the system does not report the statistics.
    static func read(_ channel: any Channel) -> EventLoopFuture<TCPStatistics?> {
        guard let provider = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeSucceededFuture(nil)
        }
        let option: EventLoopFuture<kine_tcp_info> = provider.unsafeGetSocketOption(level: .tcp, name: .tcp_info)
        return option.map { info in
            TCPStatistics(
                deliveredBytes: Int64(truncatingIfNeeded: info.bytes_acknowledged), unsentBytes: Int(info.unsent_bytes),
                isUnacknowledged: info.unacknowledged > 0,
                roundTrip: Int64(info.round_trip) * 1000, retransmissions: Int(info.states.2))
        }.flatMapError { _ in channel.eventLoop.makeSucceededFuture(nil) }
    }

    /// Makes the kernel retransmit each second instead of ever more rarely, so that the connection continues within a
    /// second of the network's return. Fails before Linux 6.15. TCP_RTO_MAX_MS is 44 in linux/tcp.h.
    static func retransmitEachSecond(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let provider = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let milliseconds: CInt = 1000
        return provider.unsafeSetSocketOption(level: .tcp, name: .init(rawValue: 44), value: milliseconds)
    }

    /// The kernel accepts no more unsent bytes than this; the rest waits in the queue, which can drop it.
    /// TCP_NOTSENT_LOWAT is 25 in linux/tcp.h.
    static let unsentLimit = (
        option: ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: 25)),
        bytes: 64 << 10
    )
}
