// What errors of sockets and TLS mean for a publisher.
import KineRTMP
import NIOCore
import NIOPosix
import NIOSSL
import SystemPackage

extension PublishFailure {
    /// Why dialing brought no connection.
    init(dialing url: RTMPURL, _ error: any Swift.Error) {
        // Of several addresses, the last one tried tells the reason.
        let error = (error as? NIOConnectionError)?.connectionErrors.last?.error ?? error
        if let error = error as? ChannelError, case .connectTimeout = error {
            self.init(.connectTimedOut, url)
        } else {
            self.init(.connectFailed(SystemError(error)), url)
        }
    }

    /// Why a connection broke.
    init(connectedTo url: RTMPURL, _ error: any Swift.Error) {
        self.init(Self.tlsCode(error) ?? .connectionLost(SystemError(error)), url)
    }

    /// nil: not an error of TLS. NIOSSL tells OpenSSL's reasons only in the error's description.
    private static func tlsCode(_ error: any Swift.Error) -> Code? {
        guard error is NIOSSLError || error is NIOSSLExtraError else { return nil }
        if (error as? NIOSSLExtraError) == .failedToValidateHostname { return .certificateForAnotherName }
        let text = String(describing: error)
        if text.contains("CERTIFICATE_VERIFY_FAILED") || text.contains("unableToValidateCertificate") {
            return .certificateUntrusted
        }
        return text.contains("WRONG_VERSION_NUMBER") ? .tlsMissing : .tlsFailed
    }
}

extension PublishFailure.SystemError {
    /// nil: the error has no number.
    fileprivate init?(_ error: any Swift.Error) {
        guard let error = error as? IOError else { return nil }
        self.init(number: error.errnoCode, text: Errno(rawValue: error.errnoCode).description)
    }
}
