// The two ends of the control channel between a client and an engine.
import KineRelay

/// The client's end: engine messages come in, client messages go out.
public typealias ClientConnection = ControlConnection<EngineMessage, ClientMessage>
/// The engine's end: client messages come in, engine messages go out.
public typealias EngineConnection = ControlConnection<ClientMessage, EngineMessage>
