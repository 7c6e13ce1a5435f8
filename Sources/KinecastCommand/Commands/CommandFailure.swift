// How a command says that it cannot go on.

/// What ends a command early.
struct CommandFailure: Error, Equatable {
    /// One of `ExitStatus`.
    var status: Int32
    /// One sentence: what happened, on what, and what to do.
    var message: String
}
