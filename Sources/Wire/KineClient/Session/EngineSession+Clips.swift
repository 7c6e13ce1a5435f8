// Clips of a running take.
import KineMedia
import KineWire

extension EngineSession {
    /// Connects to the engine of a take that has a clip buffer. `typed`: as for `attach(to:)`; nil where several takes run: the only one
    /// of them with a clip buffer.
    public static func attach(toClipBufferOf typed: String?) async throws(ClientError) -> EngineSession {
        try await attach { () throws(TakeRegistry.Error) in
            let registry = try TakeRegistry.standard()
            do throws(TakeRegistry.Error) {
                return (registry, try registry.find(typed))
            } catch .ambiguous(nil, let takes) {
                let buffering = takes.filter { $0.clipBuffer != nil }
                guard let only = buffering.first, buffering.count == 1 else {
                    throw .ambiguous(nil, buffering.isEmpty ? takes : buffering)
                }
                return (registry, only)
            }
        }
    }

    /// Has the engine write the last `duration` of the take to a new file. Returns when the file is there, and throws `noAnswer` as
    /// `stop` does, `refused` where there will be none. The take goes on.
    ///
    /// - Parameters:
    ///   - path: absolute.
    ///   - duration: nil, or longer than the buffer: all that it holds.
    ///   - overwrite: replace an existing file.
    ///   - isPrivate: only its owner may read the file, whatever the umask.
    ///   - isNumbered: it gets the next free name if that one is taken.
    public func exportClip(
        to path: String, duration: MediaTime?, overwrite: Bool = false, isPrivate: Bool = false,
        isNumbered: Bool = false
    ) async throws(ClientError) -> ExportedClip {
        let request = ClipRequest(
            output: path, duration: duration, overwrite: overwrite, isPrivate: isPrivate, isNumbered: isNumbered)
        return try await send(.exportClip(request)) { if case .clip(let clip) = $0 { clip } else { nil } }
    }
}
