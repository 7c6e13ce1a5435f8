// Sentences for a person about the live page's server: what happened and what to do. None contains a token.
import SystemPackage

extension LiveSettings.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .listen(let text):
            "The live page cannot listen on “\(text)”: give an address and a port, such as 8080, 127.0.0.1:8080, "
                + "0.0.0.0:8080 or [::1]:8080."
        case .publicURL(let text):
            "The setting “public-url” is “\(text)”; give the address that viewers open, with http:// or https:// and "
                + "without ? and #, such as https://live.example.org/screen/."
        case .playerLink(let text): "The setting “player-link” is “\(text)”; give yes or no."
        case .portMissing:
            "With “public-url” the live page needs a port that does not change, for the proxy or the tunnel to lead to; "
                + "set “listen” to one, such as 127.0.0.1:8080."
        case .keyMissing:
            "A certificate is set for the live page but no key: set “tls-key” to its PEM file too."
        case .certificateMissing:
            "A key is set for the live page but no certificate: set “tls-cert” to its PEM file too."
        }
    }
}

extension LiveServer.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .certificateUnreadable(let file):
            "The live page's certificate \(file) cannot be read: give a PEM file with “tls-cert”."
        case .keyUnusable(let file, let certificate):
            "The live page's key \(file) cannot be used: give the PEM file of the key that belongs to \(certificate) "
                + "with “tls-key”."
        case .hostUnknown(let place):
            "The live page cannot be served on \(place): no address is known for that name; set “listen” to an address "
                + "of this machine, or to 0.0.0.0 for all."
        case .cannotListen(let place, let error):
            "The live page cannot be served on \(place): \(Self.reason(error))."
        }
    }

    private static func reason(_ error: Errno?) -> String {
        switch error {
        case .addressInUse:
            "something else listens there already; set “listen” to another port, or to none for a free one"
        case .permissionDenied: "ports below 1024 are for root; set “listen” to a port above"
        case .addressNotAvailable:
            "this machine has no such address; set “listen” to one of its own, or to 0.0.0.0 for all"
        case let error?: "\(error); set “listen” to another address"
        case nil: "set “listen” to another address"
        }
    }
}

extension LiveServer.Warning: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notEncrypted(let host):
            "The live page listens on \(host) without TLS: anyone who can listen in on the network sees the link and the "
                + "screen; set “tls-cert” and “tls-key”, or use a proxy on this machine that encrypts."
        case .foreignHost(let authority, let scheme):
            "A request for the live page as \(authority) was refused, since that is not its address; if viewers are to "
                + "reach it by that name, set “public-url” to \(scheme)://\(authority)/ and start again."
        }
    }
}
