// An HTTP server for the studio, with the live page's limits on connections.
import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import NIOPosix

package enum GuardedServer {
    /// `showedToken`: the request has a session, and its connection keeps its place. False: too many have one.
    package typealias Respond =
        @Sendable (
            Request, consuming ResponseWriter, any Channel, _ showedToken: @Sendable () -> Bool
        ) async throws -> Void

    /// All connections of this machine have one address, and a browser opens six for the files of a page.
    private static let limits = ConnectionAdmission<AdmissionControl.ID>.Limits(
        unauthenticatedPerAddress: 32, unauthenticated: 32, unserved: 512, authenticated: 256)

    /// Serves at 127.0.0.1 until the process ends. Returns the port. Throws the errors of SwiftNIO.
    ///
    /// - Parameters:
    ///   - port: 0: a free one.
    ///   - group: lives until the process ends.
    package static func start(
        port: Int, on group: any EventLoopGroup, decoder: HTTP1Channel.Configuration.DecoderConfiguration,
        respond: @escaping Respond
    ) async throws -> Int {
        let admission = AdmissionControl(limits: limits)
        let http = HTTP1Channel(
            responder: { request, writer, channel in
                try await respond(request, writer, channel) { admission.showedToken(channel) }
            },
            configuration: .init(
                additionalChannelHandlers: [ConnectionGuard(admission: admission)], httpDecoderConfiguration: decoder))
        let channel = try await LiveListener.bootstrap(
            admission, LiveListener.server(http, admission), isBound: false, on: group
        ).bind(host: "127.0.0.1", port: port).get()
        return channel.localAddress?.port ?? port
    }
}
