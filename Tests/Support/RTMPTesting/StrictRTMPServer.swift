// A server that checks every byte of a publisher: what comes, in which order, on which chunk stream, with which numbers. It has
// no socket: bytes go in, answers come out.

public struct StrictRTMPServer {
    public typealias Message = StrictChunkReader.Message
    public typealias Violation = StrictChunkReader.Violation

    /// How it answers a publisher that makes no mistake.
    public enum Behavior: Equatable, Sendable {
        case accepts
        /// Refuses `connect` with this description.
        case refusesConnect(String)
        /// Answers `connect`, or `publish`, with code 302 and this address.
        case redirectsConnect(to: String)
        case redirectsPublish(to: String)
        /// Accepts an answer to this challenge of Adobe's authentication. The digest is not checked.
        case asksForUser(opaque: String)
        /// Refuses `publish` with this code and description.
        case refusesPublish(code: String, description: String)
        /// Sends nothing after the handshake.
        case silent
    }

    public enum Phase: Int, Comparable, Sendable {
        case hello
        case handshakeEnd
        case chunkSize
        case connect
        case bandwidthAnswer
        case release
        case forward
        case create
        case publish
        case metadata
        case media
        case unpublish
        case deleted

        public static func < (a: Phase, b: Phase) -> Bool { a.rawValue < b.rawValue }
    }

    public private(set) var phase = Phase.hello
    /// Audio, video and data messages, in the order of their coming.
    public private(set) var media: [Message] = []
    /// The object of `connect`, which describes the publisher and the address.
    public private(set) var connectProperties: [String: StrictAMF] = [:]
    public private(set) var streamName: String?
    public private(set) var sentBytes = 0
    public private(set) var acknowledgedBytes = 0
    public private(set) var answeredPings: [Int] = []

    /// Bytes after which the publisher has to acknowledge: few, so that it does so in every test.
    public static let window = 200
    private static let bandwidth = 2_500_000
    private static let streamID = 1

    private let behavior: Behavior
    private var reader = StrictChunkReader()
    private var buffer: [UInt8] = []
    private var lastTimes: [Int: UInt32] = [:]
    private var videoMessages = 0
    private var (audioMessages, announcesAudio) = (0, false)
    private var lastType: Int?
    /// Metadata came again though audio was announced before: only a new format of the frames can be the reason.
    private var expectsFormat = false
    /// The time of the latest sequence header.
    private var headerTime: UInt32?

    public init(_ behavior: Behavior = .accepts) { self.behavior = behavior }

    /// Reads what the publisher sent, in any pieces, and returns the answer.
    public mutating func receive(_ bytes: some Sequence<UInt8>) throws -> [UInt8] {
        buffer += bytes
        var answer: [UInt8] = []
        if phase == .hello {
            guard buffer.count >= 1537 else { return [] }
            try require(buffer[0] == 3, "C0 is \(buffer[0])")
            try require(buffer[5..<9].allSatisfy { $0 == 0 }, "C1 has no zeros")
            answer += [3] + Self.first + buffer[1..<1537]
            // Only the bytes of chunks are counted. The specification leaves it open, and servers accept either.
            sentBytes -= answer.count
            buffer.removeFirst(1537)
            phase = .handshakeEnd
        }
        if phase == .handshakeEnd, buffer.count >= 1536 {
            try require(buffer[0..<4].elementsEqual(Self.first[0..<4]), "C2 has another time than S1")
            try require(buffer[8..<1536].elementsEqual(Self.first[8...]), "C2 does not repeat S1's random bytes")
            buffer.removeFirst(1536)
            phase = .chunkSize
        }
        if phase > .handshakeEnd {
            let (messages, used) = try reader.readAvailable(buffer)
            buffer.removeFirst(used)
            for message in messages { answer += try handle(message) }
        }
        sentBytes += answer.count
        return answer
    }

    /// The publisher closed the connection.
    public func expectEnd() throws {
        try require(phase == .deleted, "the connection ended in phase \(phase)")
        try require(buffer.isEmpty, "the connection ended within a chunk")
        try require(sentBytes - acknowledgedBytes < 2 * Self.window, "bytes were not acknowledged")
        try require(answeredPings == [4711], "the ping was answered with \(answeredPings)")
    }

    /// A request to connect anew (Enhanced RTMP v2).
    public mutating func reconnectRequest(address: String?) -> [UInt8] {
        var information: [(String, StrictAMF)] = [
            ("level", .string("status")), ("code", .string("NetConnection.Connect.ReconnectRequest")),
        ]
        if let address { information.append(("tcUrl", .string(address))) }
        let bytes = command([.string("onStatus"), .number(0), .null, .object(information)])
        sentBytes += bytes.count
        return bytes
    }

    /// Returns the messages so far, and forgets them.
    public mutating func removeMedia() -> [Message] {
        defer { media = [] }
        return media
    }

    private static let first: [UInt8] =
        [0, 0, 1, 0, 0, 0, 0, 0] + (0..<1528).map { UInt8(truncatingIfNeeded: $0 * 31) }

    private mutating func handle(_ message: Message) throws -> [UInt8] {
        switch message.type {
        case 1:
            try require(phase == .chunkSize && message.timestamp == 0, "SetChunkSize in phase \(phase)")
            phase = .connect
            return []
        case 3:
            let value = message.payload.reduce(0) { $0 * 256 + Int($1) }
            try require(message.payload.count == 4 && value > acknowledgedBytes, "acknowledgement of \(value)")
            try require(value <= sentBytes + 4096, "more was acknowledged than sent")
            acknowledgedBytes = value
            return []
        case 4:
            try require(
                message.payload.count == 6 && message.payload[1] == 7,
                "a user control message that is not a ping's answer")
            answeredPings.append(message.payload.dropFirst(2).reduce(0) { $0 * 256 + Int($1) })
            return []
        case 5:
            try require(phase == .bandwidthAnswer, "a window in phase \(phase)")
            try require(message.payload.reduce(0) { $0 * 256 + Int($1) } == Self.bandwidth, "another window")
            phase = .release
            return []
        case 20: return try handleCommand(message)
        case 8, 9, 18:
            try handleMedia(message)
            return []
        default: throw Violation("a message of type \(message.type)")
        }
    }

    private mutating func handleCommand(_ message: Message) throws -> [UInt8] {
        let values = try StrictAMF.read(message.payload)
        guard case .string(let name) = values.first, values.count >= 3, case .number(let transaction) = values[1] else {
            throw Violation("a command without name, transaction and object")
        }
        func expect(_ wanted: String, _ number: Double, in right: Phase, arguments: Int) throws {
            try require(phase == right, "\(name) in phase \(phase)")
            try require(name == wanted && transaction == number, "\(name) \(transaction) and not \(wanted) \(number)")
            try require(values.count == arguments + 3, "\(name) with \(values.count - 3) arguments")
            try require(message.streamID == (wanted == "publish" ? Self.streamID : 0), "\(name) on the wrong stream")
            try require(message.timestamp == 0, "\(name) at \(message.timestamp)")
        }
        switch phase {
        case .connect:
            try expect("connect", 1, in: .connect, arguments: 0)
            guard case .object(let properties) = values[2] else { throw Violation("connect without an object") }
            connectProperties = Dictionary(properties, uniquingKeysWith: { $1 })
            return try answerConnect()
        case .release:
            try expect("releaseStream", 2, in: .release, arguments: 1)
            phase = .forward
        case .forward:
            try expect("FCPublish", 3, in: .forward, arguments: 1)
            phase = .create
        case .create:
            try expect("createStream", 4, in: .create, arguments: 0)
            phase = .publish
            // The two before it get no answer.
            return command([.string("_result"), .number(4), .null, .number(Double(Self.streamID))])
        case .publish:
            try expect("publish", 5, in: .publish, arguments: 2)
            guard case .string(let stream) = values[3] else { throw Violation("a stream without a name") }
            try require(values[4] == .string("live"), "publish as \(values[4])")
            streamName = stream
            return answerPublish()
        // A publisher that only checks the server leaves before the first sample.
        case .metadata, .media:
            try expect("FCUnpublish", 6, in: phase, arguments: 1)
            phase = .unpublish
        case .unpublish:
            try expect("deleteStream", 7, in: .unpublish, arguments: 1)
            try require(values[3] == .number(Double(Self.streamID)), "another stream is deleted")
            phase = .deleted
        default: throw Violation("\(name) in phase \(phase)")
        }
        return []
    }

    private mutating func answerConnect() throws -> [UInt8] {
        for name in ["app", "tcUrl", "flashVer", "type"] {
            guard case .string = connectProperties[name] else { throw Violation("connect without \(name)") }
        }
        switch behavior {
        case .silent: return []
        case .refusesConnect(let description): return refusal(description)
        case .redirectsConnect(let address): return redirection("_error", transaction: 1, to: address)
        case .asksForUser(let opaque):
            guard case .string(let application) = connectProperties["app"] else { return [] }
            if application.contains("&response="), application.hasSuffix("&opaque=\(opaque)") { return welcome() }
            return refusal(
                application.contains("authmod=adobe")
                    ? "[ authmod=adobe ] : ?reason=needauth&user=jo&salt=c2E=&challenge=AAA=&opaque=\(opaque)"
                    : "[ code=403 need auth; authmod=adobe ]")
        case .accepts, .refusesPublish, .redirectsPublish: return welcome()
        }
    }

    /// As Flash Media Server and Wowza answer `connect`, and SRS and nginx-rtmp's notify also later commands.
    private func redirection(_ name: String, transaction: Double, to address: String) -> [UInt8] {
        command([
            .string(name), .number(transaction), .null,
            .object([
                ("level", .string("error")), ("code", .string("NetConnection.Connect.Rejected")),
                ("description", .string("RTMP 302 Redirect")),
                ("ex", .object([("code", .number(302)), ("redirect", .string(address))])),
            ]),
        ])
    }

    private func refusal(_ description: String) -> [UInt8] {
        command([
            .string("_error"), .number(1), .null,
            .object([
                ("level", .string("error")), ("code", .string("NetConnection.Connect.Rejected")),
                ("description", .string(description)),
            ]),
        ])
    }

    private mutating func welcome() -> [UInt8] {
        phase = .bandwidthAnswer
        return control(5, Self.window) + control(6, Self.bandwidth, then: [2])
            + command([
                .string("_result"), .number(1), .object([("fmsVer", .string("Strict/1"))]),
                .object([("level", .string("status")), ("code", .string("NetConnection.Connect.Success"))]),
            ])
    }

    private mutating func answerPublish() -> [UInt8] {
        if case .redirectsPublish(let address) = behavior {
            return redirection("onStatus", transaction: 0, to: address)
        }
        if case .refusesPublish(let code, let description) = behavior {
            return command([
                .string("onStatus"), .number(0), .null,
                .object([
                    ("level", .string("error")), ("code", .string(code)), ("description", .string(description)),
                ]),
            ])
        }
        phase = .metadata
        let ping: [UInt8] = [2, 0, 0, 0, 0, 0, 6, 4, 0, 0, 0, 0, 0, 6, 0, 0, 0x12, 0x67]
        return command([
            .string("onStatus"), .number(0), .null,
            .object([("level", .string("status")), ("code", .string("NetStream.Publish.Start"))]),
        ]) + ping
    }

    private mutating func handleMedia(_ message: Message) throws {
        try require(message.streamID == Self.streamID, "media on message stream \(message.streamID)")
        if phase == .metadata {
            try require(message.type == 18 && message.timestamp == 0, "the first message is not metadata at zero")
            phase = .media
        } else {
            try require(phase == .media, "media in phase \(phase)")
        }
        try require(
            !expectsFormat || message.type == 9 && Self.isSequenceHeader(message.payload),
            "metadata again, and neither for audio that begins later nor for a new format")
        expectsFormat = message.type == 18 && announcesAudio
        if message.type == 18 {
            let values = try StrictAMF.read(message.payload)
            try require(values.count == 3, "metadata of another form")
            announcesAudio = values[2]["audiocodecid"] != nil
        }
        if let last = lastTimes[message.chunkStream] {
            try require(message.timestamp &- last < 1 << 31, "time goes back from \(last) to \(message.timestamp)")
        }
        lastTimes[message.chunkStream] = message.timestamp
        try checkHeaders(message)
        defer { lastType = message.type }
        if message.type == 9, let head = message.payload.first {
            let isFirst = videoMessages == 0
            let isSequenceHeader = Self.isSequenceHeader(message.payload)
            try require(
                isSequenceHeader ? isFirst || lastType == 18 : !isFirst, "a sequence header at the wrong place")
            let isFirstFrame = videoMessages == 1
            videoMessages += 1
            try require(!isFirstFrame || (head >> 4) & 7 == 1, "the first frame is no keyframe")
            if !isSequenceHeader, head != 0x90 | 1, head != 0xA0 | 1 {
                let unit = message.payload.dropFirst(5)
                try require(!Self.readsAsAnnexB(unit), "a frame begins with a start code: \(Array(unit.prefix(8)))")
            }
        }
        media.append(message)
    }

    /// Audio begins with its sequence header, and no sample is earlier than the last header. Only the beginning is checked,
    /// since timestamps wrap after weeks.
    private mutating func checkHeaders(_ message: Message) throws {
        if message.type == 8 {
            try require(
                announcesAudio && (message.payload.dropFirst().first == 0) == (audioMessages == 0),
                "an audio header at the wrong place")
            audioMessages += 1
        }
        guard message.type != 18, audioMessages + videoMessages < 1000 else { return }
        if let headerTime {
            try require(
                message.timestamp &- headerTime < 1 << 31, "\(message.timestamp) after a header at \(headerTime)")
        }
        // Audio may be earlier than frames of a new format that were sent before it.
        let isAgain = message.type == 9 && videoMessages > 0
        if message.payload.dropFirst().first == 0, !isAgain { headerTime = message.timestamp }
    }

    private static func isSequenceHeader(_ video: [UInt8]) -> Bool {
        guard let head = video.first else { return false }
        return head & 0x80 != 0 ? head & 15 == 0 : video.dropFirst().first == 0
    }

    /// Whether a server that tries Annex B first finds a start code: two or more zeros, and a one (SRS 7,
    /// srs_avc_startswith_annexb).
    public static func readsAsAnnexB(_ unit: some Collection<UInt8>) -> Bool {
        let zeros = unit.prefix { $0 == 0 }.count
        return zeros >= 2 && unit.dropFirst(zeros).first == 1
    }

    private func require(_ condition: @autoclosure () throws -> Bool, _ words: @autoclosure () -> String) throws {
        if try !condition() { throw Violation(words()) }
    }

    private func control(_ type: UInt8, _ value: Int, then rest: [UInt8] = []) -> [UInt8] {
        let payload = (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } + rest
        return [2, 0, 0, 0, 0, 0, UInt8(payload.count), type, 0, 0, 0, 0] + payload
    }

    /// In chunks of 128 bytes, the size without SetChunkSize.
    private func command(_ values: [StrictAMF]) -> [UInt8] {
        let payload = values.flatMap(\.bytes)
        var bytes: [UInt8] = [3, 0, 0, 0, 0, UInt8(payload.count / 256), UInt8(payload.count % 256), 20, 0, 0, 0, 0]
        for start in stride(from: 0, to: payload.count, by: 128) {
            if start > 0 { bytes.append(0xC3) }
            bytes += payload[start..<min(start + 128, payload.count)]
        }
        return bytes
    }
}
