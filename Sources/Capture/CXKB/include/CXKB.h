// libxkbcommon with libxkbcommon-x11: which key means what, by the mapping of an X server or of a compositor. And XKB's events of libxcb.
#pragma once
#include <xcb/xcb.h>
#include <xkbcommon/xkbcommon-x11.h>
#include <xkbcommon/xkbcommon.h>

// Loads the libraries; 0 where one is not installed. Nothing else here may be called before this has succeeded. Any thread may call.
int kine_load_xkb(void);

// Loads libxkbcommon alone, which is enough for the names of symbols and for nothing else here.
int kine_load_xkbcommon(void);

// Begins with the extension on a connection and asks for its events of the core keyboard. Returns that keyboard's number, or -1.
// `first_event` is the number of all events of the extension.
int32_t kine_watch_keyboard(xcb_connection_t *connection, uint8_t *first_event);

// The same for a client that grabs keys: asks for events of the mapping alone. A held key is then not released while it repeats, and
// the events of grabbed keys have the layout in bits 13 and 14 of their state.
int32_t kine_watch_mapping(xcb_connection_t *connection, uint8_t *first_event);

typedef enum { KINE_KEYBOARD_OTHER, KINE_KEYBOARD_STATE, KINE_KEYBOARD_MAP } kine_keyboard_change;

// Reads an event of the extension. KINE_KEYBOARD_STATE: the modifiers and the layout, with which it has updated `state`.
// KINE_KEYBOARD_MAP: keys have other meanings now, or it is another keyboard.
kine_keyboard_change kine_read_keyboard_event(const xcb_generic_event_t *event, struct xkb_state *state);

// The keys of a mapping, in the text of XKB_KEYMAP_FORMAT_TEXT_V1, that have `symbol` on any level, by the numbers of
// linux/input-event-codes.h. Returns their count, `most` at most; -1 where the text cannot be read, or libxkbcommon is not installed.
// Needs no kine_load_xkb before.
int kine_find_keys(const char *text, size_t length, xkb_keysym_t symbol, uint32_t *keys, int most);
