// One sentence for each error of a rehearsal.

extension ExtensionRehearsal.Error: CustomStringConvertible {
    public nonisolated var description: String {
        switch self {
        case .cannotBegin(let sentence), .failed(let sentence): sentence
        case .notInTime(let what): "The handler did not \(what) in time; let it return sooner."
        }
    }
}
