// The confinement that a client asks for, beside its take.
import KinePlatform

/// What a client asks about the confinement of a take's extensions. The default is every layer of the kernel.
public struct ConfinementRequest: Codable, Sendable, Equatable {
    /// Whether the take is refused if a layer is missing.
    public var isRequired = false
    /// Layers that are not used, to test and measure the effect and cost of each layer.
    public var leftOut: Set<Sandbox.Layer> = []

    public init() {}

    /// The layers in force on this machine.
    public var layers: Set<Sandbox.Layer> { Sandbox.available.subtracting(leftOut) }
}
