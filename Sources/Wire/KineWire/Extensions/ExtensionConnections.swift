// The control channel between an engine and an extension: the extension's descriptor 3.

/// The engine's end: reports come in, requests go out, `start` with its descriptors.
public typealias SupervisorConnection = ControlConnection<ExtensionReport, ExtensionRequest>
/// The extension's end: requests come in, with descriptors, and reports go out.
public typealias ExtensionConnection = ControlConnection<ExtensionRequest, ExtensionReport>
