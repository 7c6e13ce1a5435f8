// What a manifest asks for its service: shown when it is installed and in lists, and more than usual only with the person's consent.

/// Something that a service may do, because its manifest asks for it.
public enum ServiceRight: Hashable, Sendable {
    /// To connect to other machines, and to ports of this one.
    case connect
    /// To receive by UDP at ports of its choice.
    case bindUDP
    /// To serve at the address that the person gives to that setting.
    case listen(setting: String)
    /// To read and execute this file, or this directory with all below it.
    case read(String)
    /// To share a group's container, and what is passed on in it.
    case group(String)
    /// To know the value of this variable.
    case environment(String)

    /// Every service may have it unasked.
    public var isUsual: Bool {
        switch self {
        case .connect, .listen: true
        case .bindUDP, .read, .group, .environment: false
        }
    }
}

extension ServiceManifest {
    /// In the order in which they are shown.
    public var rights: [ServiceRight] {
        let sockets = (network == .connect ? [ServiceRight.connect] : []) + (bindsUDP ? [.bindUDP] : [])
        return sockets + (listen.map { [.listen(setting: $0)] } ?? []) + readable.map(ServiceRight.read)
            + groups.map(ServiceRight.group) + environment.map(ServiceRight.environment)
    }

    /// Whether the person has to agree to the rights: there are more than usual ones, and not all of them are those of `old`. The usual
    /// ones count as well then: what a service reads is another matter once it may connect.
    func needsConsent(replacing old: ServiceManifest?) -> Bool {
        !rights.allSatisfy(\.isUsual) && !Set(rights).isSubset(of: old?.rights ?? [])
    }
}
