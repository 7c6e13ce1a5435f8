// libxkbcommon-x11, loaded when keys are first to be shown.
#include "CLinux.h"
#include "CXKB.h"
#include "libraries.h"

LATE_LIBRARY("libxkbcommon-x11.so.0")

LATE_FUNCTION(int, xkb_x11_setup_xkb_extension,
        (xcb_connection_t *connection, uint16_t major, uint16_t minor, enum xkb_x11_setup_xkb_extension_flags flags,
         uint16_t *major_out, uint16_t *minor_out, uint8_t *base_event_out, uint8_t *base_error_out),
        (connection, major, minor, flags, major_out, minor_out, base_event_out, base_error_out))
LATE_FUNCTION(int32_t, xkb_x11_get_core_keyboard_device_id, (xcb_connection_t *connection), (connection))
LATE_FUNCTION(struct xkb_keymap *, xkb_x11_keymap_new_from_device,
        (struct xkb_context *context, xcb_connection_t *connection, int32_t device_id,
         enum xkb_keymap_compile_flags flags),
        (context, connection, device_id, flags))
LATE_FUNCTION(struct xkb_state *, xkb_x11_state_new_from_device,
        (struct xkb_keymap *keymap, xcb_connection_t *connection, int32_t device_id), (keymap, connection, device_id))

int kine_load_xkbcommon_x11(void) { return late_library() != 0; }
