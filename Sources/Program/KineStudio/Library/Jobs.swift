// Work that takes long, most of it on recordings: its progress, its end, and its cancellation.
import KineText
import Synchronization

/// The content of the event `job`. An absent key: not known.
struct JobProgress: Encodable, Equatable, Sendable {
    enum Kind: String, Encodable, Sendable { case trim, film, share, save, check }
    enum State: String, Encodable, Sendable { case running, done, failed, cancelled }

    let job: String
    let kind: Kind
    /// The recording's ID; of a check, the service's.
    let id: String
    /// From 0 to 1.
    var fraction: Double?
    var state = State.running
    /// One sentence, for `failed`, and for a check that is `done`.
    var message: String?
    /// Of the message, if it has one, and the values that it names.
    var code: String?
    var values: [String: String]?
    /// The ID of the recording that was made.
    var result: String?
}

/// Any thread may call.
final class Jobs: Sendable {
    /// More than a person waits for.
    static let most = 8
    /// Progress is reported in steps of two hundredths: events are kept for pages that connect again.
    private static let steps = 50.0

    private struct Job {
        let task: Task<Void, Never>
        /// The id of the sheet for which it works.
        let sheet: String?
        var progress: JobProgress
    }

    private let jobs = Mutex<[String: Job]>([:])
    private let report: @Sendable (JobProgress) -> Void

    /// - Parameter report: gets each change, on any thread.
    init(_ report: @escaping @Sendable (JobProgress) -> Void) { self.report = report }

    var count: Int { jobs.withLock { $0.count } }

    func areRunning(for sheet: String) -> Bool { jobs.withLock { $0.values.contains { $0.sheet == sheet } } }

    /// Starts work. Returns the job's ID.
    ///
    /// - Parameters:
    ///   - sheet: the id of the sheet for which it works; nil: it belongs to no sheet.
    ///   - work: gets a function that takes the progress from 0 to 1, and returns the ID of what it has made, or the
    ///     sentence of a check. An error of a job that was cancelled is its cancellation.
    @discardableResult
    func start(
        _ kind: JobProgress.Kind, of item: String, for sheet: String? = nil,
        _ work: @escaping @Sendable (_ fraction: @escaping @Sendable (Double) -> Void) async throws -> String?
    ) throws(StudioProblem) -> String {
        let id = RandomToken().description
        let progress = JobProgress(job: id, kind: kind, id: item)
        let isStarted = jobs.withLock { jobs in
            guard jobs.count < Self.most else { return false }
            // Made under the lock, so each job that is found can be cancelled.
            let task = Task {
                self.report(progress)
                var end = progress
                do {
                    let result = try await work { self.update(id, $0) }
                    if kind == .check { end.message = result } else { end.result = result }
                    end.state = .done
                } catch {
                    let problem = StudioProblem(error)
                    let isCancelled = Task.isCancelled || problem == .cancelled
                    (end.state, end.message) = isCancelled ? (.cancelled, nil) : (.failed, problem.message)
                    if !isCancelled { (end.code, end.values) = (problem.code?.name, problem.code?.givenValues) }
                }
                self.jobs.withLock { $0[id] = nil }
                self.report(end)
            }
            jobs[id] = Job(task: task, sheet: sheet, progress: progress)
            return true
        }
        guard isStarted else {
            throw StudioProblem(.conflict, "\(Self.most) jobs are running; wait until one has finished.")
        }
        return id
    }

    /// Returns false if there is no such job.
    func cancel(_ id: String) -> Bool {
        let job = jobs.withLock { $0[id] }
        job?.task.cancel()
        return job != nil
    }

    func cancelAll(of sheet: String) {
        for job in jobs.withLock({ $0.values.filter { $0.sheet == sheet } }) { job.task.cancel() }
    }

    private func update(_ id: String, _ fraction: Double) {
        let step = (min(max(fraction, 0), 1) * Self.steps).rounded(.down) / Self.steps
        let progress = jobs.withLock { jobs -> JobProgress? in
            guard jobs[id]?.progress.fraction != step else { return nil }
            jobs[id]?.progress.fraction = step
            return jobs[id]?.progress
        }
        if let progress { report(progress) }
    }
}
