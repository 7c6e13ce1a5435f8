// From a request to its response: what the gate allows, with the headers that keep the page to itself.
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Answers the requests of all connections.
struct LiveResponder: Sendable {
    let gate: RequestGate
    let stream: LiveStream
    let page: LivePage
    /// Each viewer gets a copy of his own, for it is encrypted for him: it must not be a whole keyframe at a time.
    let isEncrypted: Bool

    /// Bytes of a stream that are encrypted at a time.
    private static let encryptedSlice = 32 << 10
    private static let wrongName =
        "This page is not served under that name; open the link exactly as kinecast printed it.\n"

    /// What `/TOKEN/state` says.
    private struct Standing: Encodable {
        var phase: LiveStream.Phase
        var viewers: Int
    }

    /// - Parameter eventLoop: the connection's.
    func respond(
        to request: Request, with writer: consuming ResponseWriter, on eventLoop: any EventLoop
    ) async throws {
        let head = request.head
        let verdict = gate.judge(
            method: head.method.rawValue, target: head.path ?? "", host: head.authority,
            origin: head.headerFields[.origin]
        )
        let isHead = head.method == .head
        switch verdict {
        case .give(.movie):
            try await serve(.fragments, type: "video/mp4", isHead: isHead, with: writer, on: eventLoop)
        case .give(.samples):
            try await serve(.records, type: "application/octet-stream", isHead: isHead, with: writer, on: eventLoop)
        case .give(.state):
            let standing = Standing(phase: stream.phase, viewers: stream.counts.viewers)
            try await send(standing.json, type: "application/json", isHead: isHead, with: writer)
        case .give(let resource):
            guard let file = page.file(resource) else { return try await refuse(.notFound, with: writer) }
            try await send(file.bytes, type: file.type, isHead: isHead, with: writer)
        case .addSlash:
            var response = Self.response(.permanentRedirect)
            response.headerFields[.location] = "/\(gate.token)/"
            response.headerFields[.contentLength] = "0"
            try await writer.writeResponse(response)
        case .notFound: try await refuse(.notFound, with: writer)
        case .forbidden:
            try await send(
                Array(Self.wrongName.utf8), type: "text/plain; charset=utf-8", status: .forbidden, isHead: isHead,
                with: writer)
        case .wrongMethod: try await refuse(.methodNotAllowed, with: writer)
        }
    }

    /// A stream without an end, as chunks.
    private func serve(
        _ form: ViewerCursor.Form, type: String, isHead: Bool, with writer: consuming ResponseWriter,
        on eventLoop: any EventLoop
    ) async throws {
        var response = Self.response(.ok)
        response.headerFields[.contentType] = type
        if isHead { return try await writer.writeResponse(response) }
        // Before the head: who has that is counted, and misses nothing from then on.
        let (viewer, preface) = stream.join(form)
        defer { stream.leave(viewer) }
        var body = try await writer.writeHead(response)
        try await body.write(contentsOf: preface)
        // Each write returns once the connection can take more: what a slow viewer does not take stays in the history.
        while let buffers = await stream.next(for: viewer) {
            guard isEncrypted else {
                try await body.write(contentsOf: buffers)
                continue
            }
            for slice in Self.slices(of: buffers, bytes: Self.encryptedSlice) {
                try await body.write(slice)
                // A write only reaches the event loop's queue; whether the connection takes more is known once it is done.
                try await eventLoop.submit {}.get()
            }
        }
        try await body.finish(nil)
    }

    /// The same in pieces of at most so many bytes, which are not copied.
    static func slices(of buffers: [ByteBuffer], bytes: Int) -> [ByteBuffer] {
        buffers.flatMap { buffer -> [ByteBuffer] in
            var rest = buffer
            var slices: [ByteBuffer] = []
            while let slice = rest.readSlice(length: min(bytes, rest.readableBytes)), slice.readableBytes > 0 {
                slices.append(slice)
            }
            return slices
        }
    }

    private func send(
        _ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok, isHead: Bool,
        with writer: consuming ResponseWriter
    ) async throws {
        var response = Self.response(status)
        response.headerFields[.contentType] = type
        response.headerFields[.contentLength] = String(bytes.count)
        if isHead { return try await writer.writeResponse(response) }
        try await writer.write(response: response, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private func refuse(_ status: HTTPResponse.Status, with writer: consuming ResponseWriter) async throws {
        var response = Self.response(status)
        response.headerFields[.contentLength] = "0"
        try await writer.writeResponse(response)
    }

    /// The page loads only what comes from here, is shown in no other page, sends its address to nobody, and nothing of it
    /// is stored.
    private static func response(_ status: HTTPResponse.Status) -> HTTPResponse {
        var response = HTTPResponse(status: status)
        for (name, value) in protections { response.headerFields[name] = value }
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
            ("Cache-Control", "no-store"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
        ]
        return pairs.compactMap { name, value in HTTPField.Name(name).map { ($0, value) } }
    }()
}
