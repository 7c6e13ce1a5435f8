// Answers requests as the gate decides, with the headers that protect the page.
import HTTPTypes
import HummingbirdCore
import KineLive
import NIOCore

/// Answers the requests of all connections.
struct LiveResponder: Sendable {
    let access: LiveAccess
    let stream: LiveStream

    func respond(
        to request: Request, with writer: consuming ResponseWriter, on channel: any Channel, admission: AdmissionControl
    ) async throws {
        let head = request.head
        let verdict = access.judge(
            method: head.method.rawValue, target: head.path ?? "", host: head.authority,
            origin: head.headerFields[.origin], token: Self.tokenHeader.flatMap { head.headerFields[$0] })
        let isHead = head.method == .head
        if case .give(let resource, _) = verdict, resource.needsToken, !admission.showedToken(channel) {
            return try await refuse(.serviceUnavailable, ["Retry-After": "5"], with: writer)
        }
        switch verdict {
        case .give(let resource, _):
            try await give(resource, isHead: isHead, with: writer, on: channel)
        case .addSlash:
            // A browser keeps the part after the #.
            let path = (head.path ?? "").prefix { $0 != "?" }
            let query = (head.path ?? "").dropFirst(path.count)
            let last = path.split(separator: "/").last.map(String.init) ?? ""
            var response = Self.response(.permanentRedirect)
            response.headerFields[.location] = "\(last)/\(query)"
            response.headerFields[.contentLength] = "0"
            try await writer.writeResponse(response)
        case .notFound: try await refuse(.notFound, with: writer)
        case .wrongHost(let name):
            if let name { access.warn(aboutForeignHost: name) }
            try await refuse(.notFound, with: writer)
        case .wrongOrigin: try await refuse(.forbidden, with: writer)
        case .wrongMethod: try await refuse(.methodNotAllowed, ["Allow": RequestGate.methods], with: writer)
        }
    }

    private static let tokenHeader = HTTPField.Name(RequestGate.tokenHeader)

    private func give(
        _ resource: RequestGate.Resource, isHead: Bool, with writer: consuming ResponseWriter, on channel: any Channel
    ) async throws {
        var head = Self.response(.ok, resource.caching)
        switch resource {
        case .movie, .samples:
            head.headerFields[.contentType] = resource == .movie ? "video/mp4" : LiveStream.recordsType
            if isHead { return try await writer.writeResponse(head) }
            try await stream.serve(resource == .movie ? .fragments : .records, head: head, with: writer, on: channel)
        default:
            let file: LivePage.File? =
                resource == .state
                ? LivePage.File(bytes: stream.status.json, type: "application/json") : LivePage.file(resource)
            guard let file else { return try await refuse(.notFound, with: writer) }
            head.headerFields[.contentType] = file.type
            head.headerFields[.contentLength] = String(file.bytes.count)
            if isHead { return try await writer.writeResponse(head) }
            try await writer.write(response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
        }
    }

    /// Refuses a request, which is the last of its connection.
    private func refuse(
        _ status: HTTPResponse.Status, _ headers: [String: String] = [:], with writer: consuming ResponseWriter
    ) async throws {
        var response = Self.response(status)
        for (name, value) in headers { if let name = HTTPField.Name(name) { response.headerFields[name] = value } }
        response.headerFields[.contentLength] = "0"
        response.headerFields[.connection] = "close"
        try await writer.writeResponse(response)
    }

    /// The page loads only files of this server, cannot be shown inside another page, and sends its address to no other
    /// site.
    private static func response(
        _ status: HTTPResponse.Status, _ caching: RequestGate.Caching = .never
    ) -> HTTPResponse {
        var response = HTTPResponse(status: status)
        for (name, value) in protections {
            response.headerFields[name] = name == .cacheControl ? caching.rawValue : value
        }
        return response
    }

    private static let protections: [(HTTPField.Name, String)] = {
        let policy = [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
            "media-src 'self' blob:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        ]
        let pairs = [
            ("Content-Security-Policy", policy.joined(separator: "; ")),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cache-Control", RequestGate.Caching.never.rawValue),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
        ]
        return pairs.compactMap { name, value in HTTPField.Name(name).map { ($0, value) } }
    }()
}

/// The page's files, which SwiftPM embeds in the executable. They are the same for every broadcast; the stream tells
/// the page the rest, such as the title.
package enum LivePage {
    package struct File: Sendable {
        package var bytes: [UInt8]
        /// The media type.
        package var type: String
    }

    /// The modules that play a stream without audio in another page; see `StreamPlayer` in player.js.
    package static let modules: [RequestGate.Resource] = [
        .player, .webCodecs, .mediaSource, .stream,
    ]

    /// Nil if the resource is not a file.
    package static func file(_ resource: RequestGate.Resource) -> File? {
        let script = "text/javascript; charset=utf-8"
        return switch resource {
        case .page: File(bytes: PackageResources.index_html, type: "text/html; charset=utf-8")
        case .script: File(bytes: PackageResources.page_js, type: script)
        case .player: File(bytes: PackageResources.player_js, type: script)
        case .webCodecs: File(bytes: PackageResources.webcodecs_js, type: script)
        case .mediaSource: File(bytes: PackageResources.mediasource_js, type: script)
        case .stream: File(bytes: PackageResources.stream_js, type: script)
        case .receiver: File(bytes: PackageResources.receiver_js, type: script)
        case .receiverThread: File(bytes: PackageResources.receiver_thread_js, type: script)
        case .audioPlayer: File(bytes: PackageResources.audioplayer_js, type: script)
        case .audioDecoder: File(bytes: PackageResources.audiodecoder_js, type: script)
        case .audio: File(bytes: PackageResources.audio_js, type: script)
        case .delay: File(bytes: PackageResources.delay_js, type: script)
        case .awake: File(bytes: PackageResources.awake_js, type: script)
        case .token: File(bytes: PackageResources.token_js, type: script)
        case .style: File(bytes: PackageResources.page_css, type: "text/css; charset=utf-8")
        case .icon: File(bytes: PackageResources.icon_svg, type: "image/svg+xml")
        case .movie, .samples, .state: nil
        }
    }
}
