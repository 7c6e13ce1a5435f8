// How a take's extensions are confined.
import KinePlatform

/// What a client asks of the confinement. By default every layer that the kernel has is used.
public struct ConfinementRequest: Codable, Sendable, Equatable {
    /// Refuse the take if a layer is missing.
    public var isRequired = false
    /// Layers that are not used: for tests and measurements of what each layer stops and costs.
    public var leftOut: Set<Sandbox.Layer> = []

    public init() {}

    /// The layers that hold on this machine.
    public var layers: Set<Sandbox.Layer> { Sandbox.available.subtracting(leftOut) }
}
