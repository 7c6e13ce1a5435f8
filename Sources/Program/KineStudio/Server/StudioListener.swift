// Listens on a loopback address. Hummingbird and SwiftNIO implement HTTP, and KinePublish limits what a connection costs.
import HTTPTypes
import HummingbirdCore
import KinePlatform
import KinePublish
import NIOCore
import NIOPosix
import SystemPackage

enum StudioListener {
    /// The most bytes of a request's body.
    private static let largestBody = 64 << 10
    /// The requests of one person need one thread.
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Answers a request. `showedToken` and `body` are for one that is let pass.
    typealias Respond =
        @Sendable (
            StudioRequest, _ showedToken: @Sendable () -> Bool, _ body: () async throws -> [UInt8]
        ) async -> StudioResponse

    /// Serves until the process ends. Blocks until the server listens, and returns its port.
    ///
    /// - Parameter port: 0: a free one.
    static func start(port: Int, _ respond: @escaping Respond) throws(Errno) -> Int {
        let listening = Monitor<Result<Int, Errno>?>(nil)
        Task {
            do {
                let port = try await GuardedServer.start(
                    port: port, on: group,
                    // Cookies of earlier servers on this host are sent too.
                    decoder: .init(
                        maxHeaderFieldSize: 64 << 10, maxHeaderListSize: 80 << 10, maxHeaderFieldCount: 64)
                ) { request, writer, channel, showedToken in
                    try await answer(request, with: writer, on: channel, showedToken, respond)
                }
                listening.signal { $0 = .success(port) }
            } catch {
                listening.signal { $0 = .failure(Errno(rawValue: (error as? IOError)?.errnoCode ?? EIO)) }
            }
        }
        return try (listening.wait(until: .max) { $0 } ?? .failure(.ioError)).get()
    }

    private static func answer(
        _ request: Request, with writer: consuming ResponseWriter, on channel: any Channel,
        _ showedToken: @Sendable () -> Bool, _ respond: @escaping Respond
    ) async throws {
        let isHead = request.head.method == .head
        var owesBody = request.head.method == .post
        let response = await respond(StudioRequest(request.head), showedToken) {
            owesBody = false
            do {
                return Array(try await request.body.collect(upTo: largestBody).readableBytesView)
            } catch is NIOTooManyBytesError {
                throw StudioProblem.tooLong
            } catch {
                throw StudioProblem(.badRequest, "The request's body is malformed; send it again.")
            }
        }
        switch response {
        case .answer(var answer):
            // The body of a request that was refused by its head is not read.
            if owesBody { answer.fields.append((.connection, "close")) }
            try await send(answer, isHead: isHead, with: writer)
        case .events(let events):
            var head = Self.head(.ok)
            head.headerFields[.contentType] = "text/event-stream"
            if isHead { return try await writer.writeResponse(head) }
            let body = ResponseBody { output in try await write(events, of: request, to: &output) }
            try await writer.write(response: head, body: body)
        case .samples(let stream):
            var head = Self.head(.ok)
            head.headerFields[.contentType] = LiveStream.recordsType
            if isHead { return try await writer.writeResponse(head) }
            try await stream.serve(head: head, with: writer, on: channel)
        case .media(let file, let range): try await send(file, range, isHead: isHead, with: writer)
        }
    }

    private static func write(
        _ events: EventHub.Connection, of request: Request, to output: inout any ResponseBodyWriter
    ) async throws {
        // A page that is closed ends its side of the connection.
        try await request.body.consumeWithInboundCloseHandler { _ in
            for await text in events.stream { try await output.write(ByteBuffer(string: text)) }
        } onInboundClosed: {
            events.end()
        }
        try await output.finish(nil)
    }

    private static func send(
        _ answer: StudioAnswer, isHead: Bool, with writer: consuming ResponseWriter
    ) async throws {
        var head = head(answer.status)
        for (name, value) in answer.fields { head.headerFields.append(HTTPField(name: name, value: value)) }
        // A 204 has no body and no length (RFC 9110, section 8.6).
        if answer.status == .noContent { return try await writer.writeResponse(head) }
        head.headerFields[.contentType] = answer.type
        head.headerFields[.contentLength] = String(answer.body.count)
        if isHead { return try await writer.writeResponse(head) }
        try await writer.write(response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }

    /// Sends a file in pieces, each when the client has taken the one before.
    private static func send(
        _ file: MediaFile, _ range: MediaRange, isHead: Bool, with writer: consuming ResponseWriter
    ) async throws {
        var head = head(range == .whole ? .ok : .partialContent)
        let bytes = if case .part(let part) = range { part } else { 0..<file.size }
        head.headerFields[.contentType] = file.type
        head.headerFields[.acceptRanges] = "bytes"
        head.headerFields[.contentLength] = "\(bytes.count)"
        if range != .whole {
            head.headerFields[.contentRange] = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(file.size)"
        }
        if isHead { return try await writer.writeResponse(head) }
        let body = ResponseBody { output in
            var rest = bytes
            while !rest.isEmpty {
                let wanted = rest
                // If this throws, the connection is closed before the announced length.
                let piece = try await NIOThreadPool.singleton.runIfActive { try file.read(wanted) }
                try await output.write(ByteBuffer(bytes: piece))
                rest = rest.lowerBound + Int64(piece.count)..<rest.upperBound
            }
            try await output.finish(nil)
        }
        try await writer.write(response: head, body: body)
    }

    private static func head(_ status: HTTPResponse.Status) -> HTTPResponse {
        var head = HTTPResponse(status: status)
        for (name, value) in StudioAnswer.protections { head.headerFields[name] = value }
        return head
    }
}

extension StudioRequest {
    init(_ head: HTTPRequest) {
        func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { head.headerFields[$0] } }
        // The first Host is the authority. A second one makes the request invalid (RFC 9112, section 3.2).
        self.init(
            method: head.method.rawValue, target: head.path ?? "", host: field("Host") == nil ? head.authority : nil,
            origin: head.headerFields[.origin], site: field("Sec-Fetch-Site"),
            contentType: head.headerFields[.contentType], cookies: head.headerFields[.cookie],
            key: field(StudioGate.keyHeader), lastEvent: field("Last-Event-ID"),
            range: head.headerFields[.range])
    }
}
