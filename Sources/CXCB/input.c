// Requests of the X input extension.
#include "CXCB.h"

xcb_void_cookie_t kine_select_raw_motion(xcb_connection_t *c, xcb_window_t window) {
    // The request wants a header and its mask words one behind the other.
    struct { xcb_input_event_mask_t head; uint32_t mask; } selection = {
        { XCB_INPUT_DEVICE_ALL_MASTER, 1 }, XCB_INPUT_XI_EVENT_MASK_RAW_MOTION };
    return xcb_input_xi_select_events(c, window, 1, &selection.head);
}
