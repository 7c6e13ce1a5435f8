// Texts that the members of a group exchange over the person's clipboard.
import KineWire

/// The person's clipboard, for the members of a group: an app and its extensions, whose manifests name the group.
///
/// Any program can paste a text that is put here. Only texts that a member of the group put here can be read, not those
/// that the person copies elsewhere. This separates honest programs only: a program of the same user with access to the
/// display can read every clipboard and pose as a member.
///
/// The clipboard of the Wayland compositor in WAYLAND_DISPLAY, if programs without a window may use it, else of the X
/// display in DISPLAY. The text is lost when the engine or app ends, unless a clipboard manager keeps it.
public struct Pasteboard: Sendable, Equatable {
    public struct Error: Swift.Error, Sendable, Equatable, CustomStringConvertible {
        public enum Code: Sendable, Equatable {
            /// There is no display with a clipboard, or the broadcast has not started.
            case unavailable
            /// The manifest of this app or extension does not name the group.
            case notMember
            /// The text is too long.
            case tooLong
            /// An extension exceeded ten changes at once and one a second after that, or 64 requests are unanswered.
            case tooMany
            case failed
        }

        public var code: Code
        /// One sentence: what happened, and what to do.
        public var description: String
    }

    /// The most bytes of a text in UTF-8.
    public static let textLimit = PasteboardText.limit

    /// The group's identifier.
    public let group: String

    public init(group: String) { self.group = group }

    /// Puts a text on the clipboard, replacing its contents.
    public func setText(_ text: String) async throws(Error) { try await setText(text, .shared) }

    func setText(_ text: String, _ channel: DesktopChannel) async throws(Error) {
        guard text.utf8.count <= Self.textLimit else {
            throw Error(
                code: .tooLong,
                description:
                    "The clipboard takes texts of up to \(Self.textLimit >> 10) KiB; pass it in the group container.")
        }
        _ = try await perform(.setText(PasteboardText(text), group: group), channel)
    }

    /// The text that a member of the group put on the clipboard; nil if it has other contents, or none.
    public func text() async throws(Error) -> String? { try await text(.shared) }

    func text(_ channel: DesktopChannel) async throws(Error) -> String? {
        try await perform(.text(group: group), channel)
    }

    private func perform(_ task: DesktopTask, _ channel: DesktopChannel) async throws(Error) -> String? {
        do throws(DesktopFailure) {
            return try await channel.perform(task)?.text
        } catch {
            let code: Error.Code =
                switch error.code {
                case .unavailable: .unavailable
                case .notMember: .notMember
                case .invalid: .tooLong
                case .tooMany: .tooMany
                case .personTold, .failed: .failed
                }
            throw Error(code: code, description: error.message)
        }
    }
}
