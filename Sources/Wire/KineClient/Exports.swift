// A client names the engine that it wants; the place where one is looked for is KineControl's.
@_exported import struct KineControl.EngineLocator
