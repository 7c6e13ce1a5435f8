// The host of a request whose target is a whole address.
import NIOCore
import NIOHTTP1

/// An absolute target's authority counts, and not the Host (RFC 9112, section 3.2.2). HTTP's codec, which comes after this handler, keeps
/// only the target's path.
final class AbsoluteTarget: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// Adds one to a connection that speaks HTTP. Called on its event loop.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(AbsoluteTarget(), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), head.uri.first != "/" else {
            return context.fireChannelRead(data)
        }
        head.headers.replaceOrAdd(name: "Host", value: Self.authority(of: head.uri))
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Empty, which is no server's, if there is none.
    static func authority(of target: String) -> String {
        guard let start = target.firstRange(of: "://") else { return "" }
        return String(target[start.upperBound...].prefix { !"/?#".contains($0) })
    }
}
