// Decides when connections are accepted. At other times new ones wait in the kernel's queue. When that is full, the clients'
// kernels retry by themselves (RFC 6298): nobody is refused, and waiting costs this process nothing.
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A handler of a listening channel: reports each connection to the admission, and accepts none while the admission's queue is full
/// or the process has run out of descriptors.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private enum Reason {
        case outOfDescriptors, queueIsFull
    }

    private let admission: AdmissionControl
    private let rest: TimeAmount
    private var reasons: Set<Reason> = []
    private var progressCheck: RepeatedTask?

    /// - Parameter rest: the time in which nothing is accepted after descriptors or memory ran out.
    init(admission: AdmissionControl, rest: TimeAmount = .milliseconds(250)) {
        self.admission = admission
        self.rest = rest
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let (channel, this) = (context.channel, NIOLoopBound(self, eventLoop: context.eventLoop))
        admission.onQueueChange { channel.eventLoop.execute { this.value.followQueue(of: channel) } }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        admission.onQueueChange(nil)
        progressCheck?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        admission.arrived(unwrapInboundIn(data))
        followQueue(of: context.channel)
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (error as? IOError)?.errnoCode {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            // The socket stays readable: without a rest it would wake the event loop again and again.
            let (channel, this) = (context.channel, NIOLoopBound(self, eventLoop: context.eventLoop))
            change(channel) { $0.insert(.outOfDescriptors) }
            channel.eventLoop.scheduleTask(in: rest) {
                this.value.change(channel) { $0.remove(.outOfDescriptors) }
            }
        default: break
        }
    }

    private func followQueue(of channel: any Channel) {
        let isFull = !admission.acceptsMore
        guard isFull != reasons.contains(.queueIsFull) else { return }
        progressCheck?.cancel()
        progressCheck = nil
        if isFull {
            change(channel) { $0.insert(.queueIsFull) }
            let admission = admission
            let second = TimeAmount.seconds(1)
            progressCheck = channel.eventLoop.scheduleRepeatedTask(initialDelay: second, delay: second) { _ in
                admission.secondOfPausePassed()
            }
        } else {
            change(channel) { $0.remove(.queueIsFull) }
        }
    }

    private func change(_ channel: any Channel, _ body: (inout Set<Reason>) -> Void) {
        let wasPaused = !reasons.isEmpty
        body(&reasons)
        guard wasPaused != !reasons.isEmpty else { return }
        _ = channel.setOption(.autoRead, value: reasons.isEmpty)
    }
}
