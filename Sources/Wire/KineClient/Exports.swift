// Clients name the engine that they use; KineWire finds it.
@_exported import struct KineWire.EngineLocator
