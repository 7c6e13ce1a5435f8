// One sentence for each mistake in the settings for a service.

extension Service.SetupProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownKey(let key, let service, let keys) where keys.isEmpty:
            "The service \(service) has nothing to set, and \(key) was given; leave it out."
        case .unknownKey(let key, let service, let keys):
            "The service \(service) does not know the setting \(key); it has \(keys.joined(separator: ", "))."
        case .missing(let key, let title, let service):
            "The service \(service) needs the setting “\(key)” (\(title)); give it a value."
        case .invalid(let key, let title, let service, let problem):
            "The setting \(key) (\(title)) of the service \(service) \(problem); correct it."
        case .scheme(let scheme, let service, let schemes) where schemes.isEmpty:
            "The service \(service) takes no address, and one that begins with \(scheme): was given; leave it out."
        case .scheme(let scheme, let service, let schemes):
            "The service \(service) takes no address that begins with \(scheme):, only "
                + "\(schemes.map { "\($0)://" }.joined(separator: ", ")); correct the address."
        }
    }
}
