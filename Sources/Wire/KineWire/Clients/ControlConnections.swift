// The two ends of the control channel between a client and an engine.

/// The client's end: engine messages come in, requests go out.
public typealias ClientConnection = ControlConnection<EngineMessage, ClientMessage>
/// The engine's end: requests come in, engine messages go out.
public typealias EngineConnection = ControlConnection<ClientMessage, EngineMessage>

extension ControlConnection<EngineMessage, ClientMessage> {
    /// Sends a request as `send` does. The answer repeats `id`, which is 0 where the client does not wait for one.
    public func send(_ request: ClientRequest, id: Int = 0) throws(ControlError) {
        try send(ClientMessage(id: id, request))
    }
}

extension ControlConnection<ClientMessage, EngineMessage> {
    /// Whether the client's messages have the meaning that they have here. Otherwise it may have what `ControlProtocol`
    /// promises.
    public var isSameProtocol: Bool { peerHello?.protocolNumber == ControlProtocol.number }
}
