// Decides when to acknowledge received bytes (RTMP 1.0, sections 5.4.3 to 5.4.5). A server without acknowledgements stops sending.

/// The receiving side's counters.
struct AcknowledgementWindow: Sendable {
    /// Bytes after which the peer wants an acknowledgement; 0: it has not asked.
    private var size: UInt64 = 0
    private var acknowledged: UInt64 = 0
    /// The window that was announced to the peer; 0: none.
    private var announced: UInt32 = 0

    /// The answer to a message from the peer.
    mutating func receive(_ message: ControlMessage) -> RTMPMessage? {
        switch message {
        case .windowAcknowledgementSize(let size):
            self.size = UInt64(size)
            return nil
        case .setPeerBandwidth(let size):
            // Answered if the size differs from the last announcement (section 5.4.5).
            guard size != announced, size > 0 else { return nil }
            announced = size
            return .windowAcknowledgementSize(size)
        case .pingRequest(let time): return .pingResponse(time)
        case .setChunkSize, .abort: return nil
        }
    }

    /// The acknowledgement that is due after `receivedBytes` in all.
    mutating func acknowledgement(receivedBytes: UInt64) -> RTMPMessage? {
        guard size > 0, receivedBytes - acknowledged >= size else { return nil }
        acknowledged = receivedBytes
        return .acknowledgement(UInt32(truncatingIfNeeded: receivedBytes))
    }
}
