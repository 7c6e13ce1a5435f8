// One sentence for each error of the memories and streams between an engine and a receiver of samples.

extension SharedMemory.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .system(let call, let errno):
            "Shared memory for samples failed in \(call): \(errno); free some memory and try again."
        case .unusable(let size, let needed):
            "The shared memory has \(size) bytes, and \(needed) that cannot shrink are needed; "
                + "use kinecast and the extension's library of one version."
        }
    }
}

extension StreamSender.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .memory(let error): error.description
        case .misbehaved(let what):
            "The receiver of the samples damaged its shared state (\(what)) and gets no more; report this to its author."
        }
    }
}

extension StreamReceiver.Error: CustomStringConvertible {
    public var description: String {
        let advice = "use kinecast and the extension's library of one version."
        return switch self {
        case .memory(let error): error.description
        case .descriptors(let expected, let received):
            "The engine sent \(received) descriptors with the start instead of \(expected); \(advice)"
        case .invalidLayout: "The engine described its memory in an impossible way; \(advice)"
        case .damagedRing(let position): "The memory of the samples holds none at \(position); \(advice)"
        case .damagedMailbox(let word): "The mailbox of frames holds \(word), which names none; \(advice)"
        }
    }
}
