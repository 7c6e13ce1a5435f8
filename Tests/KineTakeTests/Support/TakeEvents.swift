// What a take's threads have told, for a test to read.
import KinePlatform

@testable import KineTake

typealias TakeEvents = Mailbox<TakeEvent>

extension Mailbox: TakeObserver where Element == TakeEvent {
    public func observe(_ event: TakeEvent) { post(event) }
}

extension SourceRegistry {
    static let pattern = SourceRegistry([PatternKind.self])
}
