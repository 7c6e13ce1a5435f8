// Maps errors of sockets and TLS to a publisher's failures.
import KineRTMP
import NIOCore
import NIOPosix
import NIOSSL
import SystemPackage

extension PublishFailure.Code {
    /// The code for an error of dialing.
    init(dialing error: any Error) {
        // The last of several addresses gives the reason.
        let error = (error as? NIOConnectionError)?.connectionErrors.last?.error ?? error
        if let error = error as? ChannelError, case .connectTimeout = error {
            self = .connectTimedOut
        } else {
            self = .connectFailed(.init(error))
        }
    }

    /// The code for an error that broke a connection. NIOSSL gives OpenSSL's reasons only in the error's description.
    init(connected error: any Error) {
        let text = String(describing: error)
        if !(error is NIOSSLError || error is NIOSSLExtraError) {
            self = .connectionLost(.init(error))
        } else if (error as? NIOSSLExtraError) == .failedToValidateHostname {
            self = .certificateForAnotherName
        } else if text.contains("CERTIFICATE_VERIFY_FAILED") || text.contains("unableToValidateCertificate") {
            self = .certificateUntrusted
        } else {
            self = text.contains("WRONG_VERSION_NUMBER") ? .tlsMissing : .tlsFailed
        }
    }
}

extension PublishFailure.SystemError {
    /// nil if the error has no number.
    fileprivate init?(_ error: any Error) {
        guard let error = error as? IOError else { return nil }
        self.init(number: error.errnoCode, text: Errno(rawValue: error.errnoCode).description)
    }
}
