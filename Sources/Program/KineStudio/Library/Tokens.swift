// A list of values. A page names a value by a secret token, which the server has made for it.
import KineText
import Synchronization

/// Any thread may call.
final class Tokens<Value: Sendable>: Sendable {
    private let most: Int
    private let values = Mutex<[(token: RandomToken, value: Value)]>([])

    /// - Parameter most: when there are more, the oldest is forgotten.
    init(most: Int) { self.most = most }

    func add(_ value: Value) -> RandomToken {
        let token = RandomToken()
        values.withLock { $0 = ($0 + [(token, value)]).suffix(most) }
        return token
    }

    func value(of token: String) -> Value? { values.withLock { $0.first { $0.token.matches(token) } }?.value }

    func change(_ change: (inout Value) -> Void) {
        values.withLock { values in for index in values.indices { change(&values[index].value) } }
    }

    func remove(_ token: String) { values.withLock { $0.removeAll { $0.token.matches(token) } } }
}
