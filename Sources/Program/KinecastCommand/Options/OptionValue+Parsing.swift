// Options whose values KineChoices reads.
import ArgumentParser
import KineChoices
import KineMedia
import KineProgram

extension OptionValue {
    /// For `@Option(transform:)`.
    static func parse(_ text: String) throws -> Self {
        guard let value = Self(argument: text) else { throw ValidationError(form) }
        return value
    }
}

/// Shows a failure as one of the options, with the command's usage.
func asOptionError<Value>(_ body: () throws(CommandFailure) -> Value) throws -> Value {
    do throws(CommandFailure) { return try body() } catch { throw ValidationError(error.message) }
}

/// Degrees, clockwise.
enum RotationOption: Int, ExpressibleByArgument, CaseIterable {
    case none = 0
    case right = 90
    case half = 180
    case left = 270

    var orientation: Orientation {
        switch self {
        case .none: .up
        case .right: .right
        case .half: .down
        case .left: .left
        }
    }
}
