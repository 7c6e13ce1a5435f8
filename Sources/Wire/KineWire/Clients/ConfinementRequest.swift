// The confinement of a take's extensions.
import KinePlatform

/// A client's request for the confinement. By default every layer that the kernel has is used.
public struct ConfinementRequest: Codable, Sendable, Equatable {
    /// Whether the take is refused if a layer is missing.
    public var isRequired = false
    /// Layers that are not used: for tests and measurements of what each layer stops and costs.
    public var leftOut: Set<Sandbox.Layer> = []

    public init() {}

    /// The layers that hold on this machine.
    public var layers: Set<Sandbox.Layer> { Sandbox.available.subtracting(leftOut) }
}
