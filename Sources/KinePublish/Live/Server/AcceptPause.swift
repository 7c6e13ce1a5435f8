// Accepts no connections for a moment when the process has run out of descriptors. New ones wait in the kernel's queue. When that is
// full, the clients' kernels retry by themselves (RFC 6298): nobody is refused, and waiting costs this process nothing.
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A handler of a listening channel.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let rest: TimeAmount

    /// - Parameter rest: the time in which nothing is accepted after descriptors or memory ran out.
    init(rest: TimeAmount = .milliseconds(250)) { self.rest = rest }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (error as? IOError)?.errnoCode {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            // The socket stays readable: without a rest it would wake the event loop again and again.
            let channel = context.channel
            _ = channel.setOption(.autoRead, value: false)
            channel.eventLoop.scheduleTask(in: rest) { _ = channel.setOption(.autoRead, value: true) }
        default: break
        }
    }
}
