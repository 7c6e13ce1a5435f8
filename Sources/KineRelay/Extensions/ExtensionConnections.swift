// The control channel between an engine and an extension: the extension's descriptor 3.
import SystemPackage

/// An engine's end: reports come in, requests go out, `start` with its descriptors.
public typealias ExtensionEngineEnd = ControlConnection<ExtensionReport, ExtensionRequest>
/// An extension's end: requests come in, with descriptors, and reports go out.
public typealias ExtensionConnection = ControlConnection<ExtensionRequest, ExtensionReport>

extension ControlConnection where Received == ExtensionReport, Sent == ExtensionRequest {
    /// A connection, and the descriptor of its other end for an extension that is about to be started. The caller closes
    /// that descriptor once the extension has inherited it.
    public static func withExtensionEnd() throws(ControlError) -> (ExtensionEngineEnd, extensionEnd: FileDescriptor) {
        let ends: (FileDescriptor, FileDescriptor)
        do {
            ends = try UnixSocket.pair()
        } catch {
            throw .system(call: "socketpair", error)
        }
        do {
            return (try ExtensionEngineEnd(adopting: ends.0), ends.1)
        } catch {
            try? ends.1.close()
            throw error
        }
    }
}
