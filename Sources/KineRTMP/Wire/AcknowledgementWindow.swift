// When a peer has to be told how many bytes came (RTMP 1.0, sections 5.4.3 to 5.4.5). Servers that are told nothing stop.

/// The receiving side's account.
public struct AcknowledgementWindow: Sendable {
    /// Bytes; 0: the peer has not asked.
    private var size: UInt64 = 0
    private var acknowledged: UInt64 = 0
    /// What was told the peer of the other direction; 0: nothing.
    private var announced: UInt32 = 0

    public init() {}

    /// What has to be sent because of a message from the peer.
    public mutating func receive(_ message: ControlMessage) -> ControlMessage? {
        switch message {
        case .windowAcknowledgementSize(let size):
            self.size = UInt64(size)
            return nil
        case .setPeerBandwidth(let size, _):
            // To be answered where it differs from what was said last (section 5.4.5).
            guard size != announced, size > 0 else { return nil }
            announced = size
            return .windowAcknowledgementSize(size)
        case .pingRequest(let time): return .pingResponse(time)
        default: return nil
        }
    }

    /// The acknowledgement that is due after `receivedBytes` in all.
    public mutating func acknowledgement(receivedBytes: UInt64) -> ControlMessage? {
        guard size > 0, receivedBytes - acknowledged >= size else { return nil }
        acknowledged = receivedBytes
        return .acknowledgement(UInt32(truncatingIfNeeded: receivedBytes))
    }
}
