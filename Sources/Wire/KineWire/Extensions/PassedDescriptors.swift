// The descriptors that an extension starts with beside its control channel: the socket that the engine listens on for it, and the
// files that its settings name.

/// Their keys are in a variable of the extension's environment; the first is descriptor 4.
public enum PassedDescriptors {
    /// Holds the keys of their settings, separated by colons.
    public static let variable = "KINECAST_DESCRIPTORS"
    /// Names the extension's own directory, the only one that it may write to.
    public static let dataVariable = "KINECAST_DATA"
    /// Behind the three standard ones and the control channel.
    public static let first: Int32 = 4
    /// The most that one extension gets.
    public static let limit = 16

    public static func entry(_ keys: [String]) -> String { "\(variable)=\(keys.joined(separator: ":"))" }
}
