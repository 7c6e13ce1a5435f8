// What is known of a screen cast besides its frames.

/// A source to which a compositor sends frames. Used by one thread.
public protocol CastSource: VideoSource {
    /// Counts the frames that have come; moves of the pointer alone are none. It changes in `processEvents` and `addDamage` only.
    var frameCount: Int { get }

    /// Of the monitor that is cast, in the desktop; nil: not known.
    var position: (x: Int, y: Int)? { get }
}
