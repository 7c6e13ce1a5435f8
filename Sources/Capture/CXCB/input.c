// Requests of the X input extension.
#include "CXCB.h"

xcb_void_cookie_t kine_select_raw_events(xcb_connection_t *c, xcb_window_t window, uint32_t events) {
    // The request wants a header and its mask words one behind the other.
    struct { xcb_input_event_mask_t head; uint32_t mask; } selection = {
        { XCB_INPUT_DEVICE_ALL_MASTER, 1 }, events };
    return xcb_input_xi_select_events(c, window, 1, &selection.head);
}
