// A client names the engine that it wants; the place where one is looked for is KineWire's.
@_exported import struct KineWire.EngineLocator
