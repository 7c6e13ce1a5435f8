// How a take's extensions are to be confined.
import KinePlatform

/// What a client asks of the confinement. By default each layer that the kernel gives is used.
public struct ConfinementRequest: Codable, Sendable, Equatable {
    /// Refuse the take where a layer is missing.
    public var isRequired = false
    /// Layers that are not to be used: for tests and measurements, which show what each of them stops and costs.
    public var leftOut: Set<Sandbox.Layer> = []

    public init() {}

    /// The layers that hold on this machine.
    public var layers: Set<Sandbox.Layer> { Sandbox.available.subtracting(leftOut) }
}
