// libxcb-xkb, which libxkbcommon-x11 needs too, and the events of the X keyboard extension.
#include "CLinux.h"
#include "CXKB.h"
#include "libraries.h"
// The header's one flaw: a field has the name of a keyword of C++.
#include <xcb/xkb.h>

LATE_LIBRARY("libxcb-xkb.so.1")

LATE_FUNCTION(xcb_void_cookie_t, xcb_xkb_select_events_aux,
        (xcb_connection_t *c, xcb_xkb_device_spec_t deviceSpec, uint16_t affectWhich, uint16_t clear,
         uint16_t selectAll, uint16_t affectMap, uint16_t map, const xcb_xkb_select_events_details_t *details),
        (c, deviceSpec, affectWhich, clear, selectAll, affectMap, map, details))

LATE_FUNCTION(xcb_xkb_per_client_flags_cookie_t, xcb_xkb_per_client_flags,
        (xcb_connection_t *c, xcb_xkb_device_spec_t deviceSpec, uint32_t change, uint32_t value, uint32_t ctrlsToChange,
         uint32_t autoCtrls, uint32_t autoCtrlsValues),
        (c, deviceSpec, change, value, ctrlsToChange, autoCtrls, autoCtrlsValues))

int kine_load_xcb_xkb(void) { return late_library() != 0; }

// The events that libxkbcommon's documentation asks for ("Using xkbcommon with X11").
enum {
    MAPPING = XCB_XKB_EVENT_TYPE_NEW_KEYBOARD_NOTIFY | XCB_XKB_EVENT_TYPE_MAP_NOTIFY,
    KEYBOARDS = XCB_XKB_NKN_DETAIL_KEYCODES,
    MAPS = XCB_XKB_MAP_PART_KEY_TYPES | XCB_XKB_MAP_PART_KEY_SYMS | XCB_XKB_MAP_PART_MODIFIER_MAP |
        XCB_XKB_MAP_PART_EXPLICIT_COMPONENTS | XCB_XKB_MAP_PART_KEY_ACTIONS | XCB_XKB_MAP_PART_VIRTUAL_MODS |
        XCB_XKB_MAP_PART_VIRTUAL_MOD_MAP,
    STATES = XCB_XKB_STATE_PART_MODIFIER_BASE | XCB_XKB_STATE_PART_MODIFIER_LATCH |
        XCB_XKB_STATE_PART_MODIFIER_LOCK | XCB_XKB_STATE_PART_GROUP_BASE | XCB_XKB_STATE_PART_GROUP_LATCH |
        XCB_XKB_STATE_PART_GROUP_LOCK,
};

static int32_t watch(xcb_connection_t *connection, uint8_t *first_event, uint16_t events) {
    if (!xkb_x11_setup_xkb_extension(connection, XKB_X11_MIN_MAJOR_XKB_VERSION, XKB_X11_MIN_MINOR_XKB_VERSION,
                                     XKB_X11_SETUP_XKB_EXTENSION_NO_FLAGS, 0, 0, first_event, 0))
        return -1;
    int32_t device = xkb_x11_get_core_keyboard_device_id(connection);
    if (device < 0) return -1;
    xcb_xkb_select_events_details_t details = {
        .affectNewKeyboard = KEYBOARDS,
        .newKeyboardDetails = KEYBOARDS,
        .affectState = STATES,
        .stateDetails = STATES,
    };
    xcb_xkb_select_events_aux(connection, (xcb_xkb_device_spec_t)device, events, 0, 0, MAPS, MAPS, &details);
    return device;
}

int32_t kine_watch_keyboard(xcb_connection_t *connection, uint8_t *first_event) {
    return watch(connection, first_event, MAPPING | XCB_XKB_EVENT_TYPE_STATE_NOTIFY);
}

int32_t kine_watch_mapping(xcb_connection_t *connection, uint8_t *first_event) {
    int32_t device = watch(connection, first_event, MAPPING);
    // Without the third, the state of a grab's events lacks a locked layout.
    uint32_t flags = XCB_XKB_PER_CLIENT_FLAG_DETECTABLE_AUTO_REPEAT | XCB_XKB_PER_CLIENT_FLAG_GRABS_USE_XKB_STATE |
                     XCB_XKB_PER_CLIENT_FLAG_LOOKUP_STATE_WHEN_GRABBED;
    // The connection keeps the reply, which nothing needs: libxcb itself is not linked here.
    if (device >= 0) xcb_xkb_per_client_flags(connection, (xcb_xkb_device_spec_t)device, flags, flags, 0, 0, 0);
    return device;
}

kine_keyboard_change kine_read_keyboard_event(const xcb_generic_event_t *event, struct xkb_state *state) {
    switch (event->pad0) {  // all events of the extension have one number, and their type here
    case XCB_XKB_STATE_NOTIFY: {
        const xcb_xkb_state_notify_event_t *it = (const xcb_xkb_state_notify_event_t *)event;
        xkb_state_update_mask(state, it->baseMods, it->latchedMods, it->lockedMods, (xkb_layout_index_t)it->baseGroup,
                              (xkb_layout_index_t)it->latchedGroup, it->lockedGroup);
        return KINE_KEYBOARD_STATE;
    }
    case XCB_XKB_MAP_NOTIFY:
    case XCB_XKB_NEW_KEYBOARD_NOTIFY: return KINE_KEYBOARD_MAP;
    default: return KINE_KEYBOARD_OTHER;
    }
}
