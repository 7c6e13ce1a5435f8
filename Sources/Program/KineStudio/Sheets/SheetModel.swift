// A sheet as its page gets it.
import FoundationEssentials
import KineText
import KineWire

/// The whole content, so that a page which connects again needs nothing before it. Absent values belong to other kinds.
struct SheetModel: Encodable, Sendable, Equatable {
    enum Kind: String, Encodable, Sendable {
        case waiting, choice, form, login, countdown, recording
        /// The kinds of the end, as `SheetStateMachine.Ending`.
        case done, cancelled, appLost
    }

    let app: SheetApp
    let step: Int
    var kind: Kind
    var services: [SheetService]?
    /// The state of the microphone's switch; absent: there is none.
    var isMicrophoneEnabled: Bool?
    /// The name of the service.
    var service: String?
    var message: String?
    var fields: [SetupQuestionField]?
    var address: String?
    /// The host of `address`.
    var host: String?
    var seconds: Int?
    /// The ID of the recording in the library.
    var recording: String?
    var isSaved: Bool?
    var activities: [SheetActivity]?

    init(_ machine: SheetStateMachine, app: SheetApp) {
        self.app = app
        step = machine.step
        kind = .waiting
        if let ending = machine.ending {
            kind = Kind(rawValue: ending.rawValue) ?? .done
            return
        }
        switch machine.prompt {
        case .waiting: break
        case .choice(let services, let isMicrophoneEnabled):
            kind = .choice
            self.services = services
            self.isMicrophoneEnabled = isMicrophoneEnabled
        case .form(let form):
            kind = .form
            (service, message, fields) = (form.service, form.message, form.fields)
        case .login(let service, let address):
            kind = .login
            (self.service, self.address) = (service, address)
            host = URL(string: address)?.host(percentEncoded: true) ?? ""
        case .countdown(let seconds):
            kind = .countdown
            self.seconds = seconds
        case .recording(let shown):
            kind = .recording
            (recording, isSaved, activities) = (LibraryFile.id(of: shown.path), shown.isSaved, shown.activities)
        }
    }
}
