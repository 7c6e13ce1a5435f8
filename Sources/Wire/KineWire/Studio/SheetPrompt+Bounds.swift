// Bounds what an app shows in a sheet: a window of the studio has to stay one that a person can read and judge.
import KineText

extension SheetApp {
    private static let limit = 100

    /// With visible characters alone, and at most 100 in each text.
    public var bounded: SheetApp {
        SheetApp(identifier: identifier.printable(limit: Self.limit), name: name.printable(limit: Self.limit))
    }
}

extension SheetPrompt {
    private static let mostServices = 256
    private static let mostFields = 65
    private static let mostChoices = 256
    private static let mostRights = 64
    private static let nameLimit = 200
    private static let sentenceLimit = 1000
    private static let addressLimit = 2000
    private static let longestCountdown = 3600
    private static let mostActivities = 64
    private static let pathLimit = 4096

    /// With visible characters alone in everything that is shown. Nil if it has too many parts, if an address is not a
    /// visible one that begins with https://, or if two services, fields or activities cannot be told apart.
    public var bounded: SheetPrompt? {
        switch self {
        case .waiting: return self
        case .choice(let services, let isMicrophoneEnabled):
            guard (1...Self.mostServices).contains(services.count), Set(services.map(\.id)).count == services.count,
                services.allSatisfy({ $0.id.printable(limit: Self.nameLimit) == $0.id })
            else { return nil }
            return .choice(services.map(Self.bounded), isMicrophoneEnabled: isMicrophoneEnabled)
        case .form(let form):
            guard (1...Self.mostFields).contains(form.fields.count),
                Set(form.fields.map(\.key)).count == form.fields.count,
                form.fields.allSatisfy({ $0.choices?.count ?? 0 <= Self.mostChoices })
            else { return nil }
            return .form(
                SheetForm(
                    service: form.service.printable(limit: Self.nameLimit),
                    message: form.message?.printable(limit: Self.sentenceLimit), fields: form.fields.map(Self.bounded)))
        case .login(let service, let address):
            guard address.hasPrefix("https://"), address.utf8.count <= Self.addressLimit,
                address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
            else { return nil }
            return .login(service: service.printable(limit: Self.nameLimit), address: address)
        case .countdown(let seconds): return (0...Self.longestCountdown).contains(seconds) ? self : nil
        case .recording(var recording):
            let activities = recording.activities
            guard recording.path.hasPrefix("/"), recording.path.utf8.count <= Self.pathLimit,
                activities.count <= Self.mostActivities, Set(activities.map(\.id)).count == activities.count,
                activities.allSatisfy({ $0.id.printable(limit: Self.nameLimit) == $0.id })
            else { return nil }
            for index in activities.indices {
                recording.activities[index].title = activities[index].title.printable(limit: Self.nameLimit)
            }
            return .recording(recording)
        }
    }

    private static func bounded(_ service: SheetService) -> SheetService {
        SheetService(
            id: service.id, name: service.name.printable(limit: nameLimit),
            rights: service.rights.prefix(mostRights).map {
                SheetRight($0.kind, $0.subject?.printable(limit: sentenceLimit))
            }, needsNothing: service.needsNothing)
    }

    private static func bounded(_ field: SetupQuestionField) -> SetupQuestionField {
        var field = field
        field.title = field.title?.printable(limit: nameLimit)
        field.hint = field.hint?.printable(limit: sentenceLimit)
        field.choices = field.choices?.map {
            SetupQuestionField.Choice(value: $0.value, title: $0.title?.printable(limit: nameLimit))
        }
        return field
    }
}
