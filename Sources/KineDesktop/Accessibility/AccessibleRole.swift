// The kinds of objects in which what is typed may be seen. AT-SPI 2: at-spi2-core, atspi-constants.h, AtspiRole.

/// Fields that show what is typed, and controls that keys move. A password field (40) and a terminal (60) are none of them, nor is anything
/// that does not say what it is: a window, a panel, a canvas.
enum AccessibleRole: UInt32 {
    case checkBox = 7
    case checkMenuItem = 8
    case comboBox = 11
    case list = 31
    case listItem = 32
    case menu = 33
    case menuBar = 34
    case menuItem = 35
    case pageTab = 37
    case pageTabList = 38
    case pushButton = 43
    case radioButton = 44
    case radioMenuItem = 45
    case slider = 51
    case spinButton = 52
    case table = 55
    case tableCell = 56
    case text = 61
    case toggleButton = 62
    case tree = 65
    case treeTable = 66
    case paragraph = 73
    case autocomplete = 76
    case editbar = 77
    case entry = 79
    case documentFrame = 82
    case link = 88
    case tableRow = 90
    case treeItem = 91
    case documentSpreadsheet = 92
    case documentPresentation = 93
    case documentText = 94
    case documentWeb = 95
    case documentEmail = 96
}
