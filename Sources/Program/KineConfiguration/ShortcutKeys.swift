// The keys of `[shortcuts]` in kinecast.conf.
import KineProgram

/// The keys that the person has given to actions, by the actions' names.
package struct ShortcutKeys: Equatable, Sendable {
    package private(set) var keys: [String: KeyCombination] = [:]

    package init() {}

    /// Throws a sentence with the place of the first key that cannot be used.
    package init(_ options: [ConfiguredOption]) throws(CommandFailure) {
        for option in options {
            let name = option.key.name
            let key: KeyCombination
            do throws(KeyCombination.Problem) {
                key = try KeyCombination(option.value)
            } catch {
                throw .usage("\(option.origin): \(name): \(error).")
            }
            if let other = keys.first(where: { $0.value == key })?.key {
                throw .usage("\(option.origin): \(key) is the key of \(other) already; give \(name) another key.")
            }
            keys[name] = key
        }
    }
}
