// The commands of a publisher (RTMP 1.0, section 7.2), as messages.

/// The commands that a publisher sends, and the parsing of those that it receives.
enum PublishCommand {
    /// The numbers of the commands, in the order of sending. Answers repeat them.
    enum Transaction {
        static let connect = 1.0
        static let releaseStream = 2.0
        static let publishForward = 3.0
        static let createStream = 4.0
        static let publish = 5.0
        static let unpublishForward = 6.0
        static let deleteStream = 7.0
    }

    /// Section 7.2.1.1, with the properties of Enhanced RTMP v2 ("Enhancing NetConnection connect Command").
    static func connect(_ url: RTMPURL, suffix: String) -> RTMPMessage {
        // FourCcInfoMask: this side can encode.
        let canEncode = AMF0Value.number(2)
        return message([
            .string("connect"), .number(Transaction.connect),
            .object([
                .init("app", .string(url.application + suffix)),
                .init("type", .string("nonprivate")),
                // Some servers accept only this encoder name.
                .init("flashVer", .string("FMLE/3.0 (compatible; Kinecast)")),
                .init("tcUrl", .string(url.serverAddress(suffix: suffix))),
                .init("fourCcList", .strictArray([.string("hvc1"), .string("av01")])),
                .init(
                    "videoFourCcInfoMap",
                    .object([.init("avc1", canEncode), .init("hvc1", canEncode), .init("av01", canEncode)])),
                .init("audioFourCcInfoMap", .object([.init("mp4a", canEncode)])),
                // CapsExMask: 1, a server may request a reconnection.
                .init("capsEx", .number(1)),
            ]),
        ])
    }

    static func named(_ name: String, _ transaction: Double, _ arguments: [AMF0Value]) -> RTMPMessage {
        message([.string(name), .number(transaction), .null] + arguments)
    }

    /// Section 7.2.2.6. Sent on the stream itself; "live" means without recording.
    static func publish(_ url: RTMPURL, streamID: UInt32) -> RTMPMessage {
        var message = named("publish", Transaction.publish, [.string(url.streamName), .string("live")])
        message.streamID = streamID
        return message
    }

    private static func message(_ values: [AMF0Value]) -> RTMPMessage {
        RTMPMessage(kind: .commandAMF0, payload: AMF0Encoder.encode(values))
    }

    /// The name, the transaction and the arguments of a command; nil for another message.
    static func read(_ message: RTMPMessage) throws(AMF0Decoder.Error) -> (name: String, Double, [AMF0Value])? {
        var payload = message.payload[...]
        switch message.kind {
        case .commandAMF0: break
        // AMF 0 after a format byte of 0 (RTMP 1.0, section 7.1.1).
        case .commandAMF3 where payload.first == 0: payload = payload.dropFirst()
        default: return nil
        }
        let values = try AMF0Decoder.decode(payload)
        guard let name = values.first?.string else { return nil }
        return (name, values.count > 1 ? values[1].number ?? 0 : 0, Array(values.dropFirst(2)))
    }
}
