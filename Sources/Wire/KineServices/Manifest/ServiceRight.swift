// The rights that a manifest requests: shown at installation and in lists; unusual ones need the person's consent.

/// A right that a service's manifest requests.
public enum ServiceRight: Hashable, Sendable {
    /// To connect to other machines, and to ports of this one.
    case connect
    /// To receive by UDP at ports that it chooses.
    case bindUDP
    /// To serve at the address that the person provides for this setting.
    case listen(setting: String)
    /// To read and execute this file, or this directory with all its contents.
    case read(String)
    /// To share a group's container, and samples passed on in the group.
    case group(String)
    /// To read this variable.
    case environment(String)

    /// Whether every service may have it without consent.
    public var isUsual: Bool {
        switch self {
        case .connect, .listen: true
        case .bindUDP, .read, .group, .environment: false
        }
    }
}

extension ServiceManifest {
    /// In display order.
    public var rights: [ServiceRight] {
        let sockets = (network == .connect ? [ServiceRight.connect] : []) + (bindsUDP ? [.bindUDP] : [])
        return sockets + (listen.map { [.listen(setting: $0)] } ?? []) + readable.map(ServiceRight.read)
            + groups.map(ServiceRight.group) + environment.map(ServiceRight.environment)
    }

    /// Whether the person has to consent: there are unusual rights, and not all rights are those of `old`. The usual
    /// ones count too then: access to files matters more once the service may connect.
    func needsConsent(replacing old: ServiceManifest?) -> Bool {
        !rights.allSatisfy(\.isUsual) && !Set(rights).isSubset(of: old?.rights ?? [])
    }
}
