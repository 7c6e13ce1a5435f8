// What Linux's kernel knows of a connection: how much it still holds, and how much has arrived (tcp(7), TCP_INFO).
import CLinux
import NIOCore

/// A moment of a TCP connection.
struct TCPStatistics: Sendable, Equatable {
    /// Bytes that the peer has acknowledged, of everything ever sent.
    var deliveredBytes: Int64
    /// Bytes in the kernel that were never sent.
    var unsentBytes: Int
    /// Something was sent that the peer has not acknowledged yet.
    var isUnacknowledged: Bool
    /// Nanoseconds.
    var roundTrip: Int64
    /// How often in a row something was sent again, and the peer did not acknowledge anything: the network is away, or the
    /// peer. It stays zero with a peer that is there and does not read.
    var retransmissions: Int

    /// Completes with nil where the system does not tell.
    static func read(_ channel: any Channel) -> EventLoopFuture<TCPStatistics?> {
        guard let provider = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeSucceededFuture(nil)
        }
        let option: EventLoopFuture<kine_tcp_info> = provider.unsafeGetSocketOption(
            level: SocketOptionLevel(tcpLevel), name: SocketOptionName(tcpInformation))
        return option.map { info in
            TCPStatistics(
                deliveredBytes: Int64(truncatingIfNeeded: info.bytes_acknowledged), unsentBytes: Int(info.unsent_bytes),
                isUnacknowledged: info.unacknowledged > 0,
                roundTrip: Int64(info.round_trip) * 1000, retransmissions: Int(info.states.2))
        }.flatMapError { _ in channel.eventLoop.makeSucceededFuture(nil) }
    }

    /// Makes the kernel send again each second what is not acknowledged, instead of waiting twice as long each time: the
    /// connection then lives again within a second of its network. Fails before Linux 6.15. TCP_RTO_MAX_MS, 44 in
    /// linux/tcp.h.
    static func sendAgainEachSecond(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let provider = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let milliseconds: CInt = 1000
        return provider.unsafeSetSocketOption(
            level: SocketOptionLevel(tcpLevel), name: SocketOptionName(44), value: milliseconds)
    }

    /// The kernel takes no more than this unsent: what waits has to wait in the queue, which can still drop it.
    /// TCP_NOTSENT_LOWAT is 25 (linux/tcp.h).
    static let unsentLimit = (
        option: ChannelOptions.Types.SocketOption(level: SocketOptionLevel(tcpLevel), name: SocketOptionName(25)),
        bytes: 64 << 10
    )
}

// Of netinet/in.h and netinet/tcp.h; the imported ones have types that differ between C libraries.
private let tcpLevel: CInt = 6
private let tcpInformation: CInt = 11
