// libsystemd, loaded when the desktop is first asked for something: a take on a machine without a bus does not load it.
#include "CLinux.h"
#include "CSDBus.h"

LATE_LIBRARY("libsystemd.so.0")

LATE_FUNCTION(int, sd_bus_new, (sd_bus **bus), (bus))
LATE_FUNCTION(int, sd_bus_set_address, (sd_bus *bus, const char *address), (bus, address))
LATE_FUNCTION(int, sd_bus_set_bus_client, (sd_bus *bus, int b), (bus, b))
LATE_FUNCTION(int, sd_bus_negotiate_fds, (sd_bus *bus, int b), (bus, b))
LATE_FUNCTION(int, sd_bus_start, (sd_bus *bus), (bus))
LATE_FUNCTION(sd_bus *, sd_bus_close_unref, (sd_bus *bus), (bus))
LATE_FUNCTION(int, sd_bus_get_fd, (sd_bus *bus), (bus))
LATE_FUNCTION(int, sd_bus_get_events, (sd_bus *bus), (bus))
LATE_FUNCTION(int, sd_bus_is_open, (sd_bus *bus), (bus))
LATE_FUNCTION(int, sd_bus_is_ready, (sd_bus *bus), (bus))
LATE_FUNCTION(int, sd_bus_get_unique_name, (sd_bus *bus, const char **unique), (bus, unique))
LATE_FUNCTION(int, sd_bus_get_timeout, (sd_bus *bus, uint64_t *usec), (bus, usec))
LATE_FUNCTION(int, sd_bus_process, (sd_bus *bus, sd_bus_message **message), (bus, message))
LATE_FUNCTION(int, sd_bus_send, (sd_bus *bus, sd_bus_message *m, uint64_t *cookie), (bus, m, cookie))
LATE_FUNCTION(int, sd_bus_call_async,
        (sd_bus *bus, sd_bus_slot **slot, sd_bus_message *m, sd_bus_message_handler_t callback, void *userdata,
         uint64_t usec),
        (bus, slot, m, callback, userdata, usec))
LATE_FUNCTION(int, sd_bus_add_match_async,
        (sd_bus *bus, sd_bus_slot **slot, const char *match, sd_bus_message_handler_t callback,
         sd_bus_message_handler_t install_callback, void *userdata),
        (bus, slot, match, callback, install_callback, userdata))
LATE_FUNCTION(int, sd_bus_add_fallback,
        (sd_bus *bus, sd_bus_slot **slot, const char *prefix, sd_bus_message_handler_t callback, void *userdata),
        (bus, slot, prefix, callback, userdata))
LATE_FUNCTION(sd_bus_slot *, sd_bus_slot_unref, (sd_bus_slot *slot), (slot))

LATE_FUNCTION(int, sd_bus_message_new_method_call,
        (sd_bus *bus, sd_bus_message **m, const char *destination, const char *path, const char *interface,
         const char *member),
        (bus, m, destination, path, interface, member))
LATE_FUNCTION(int, sd_bus_message_new_signal,
        (sd_bus *bus, sd_bus_message **m, const char *path, const char *interface, const char *member),
        (bus, m, path, interface, member))
LATE_FUNCTION(int, sd_bus_message_new_method_return, (sd_bus_message *call, sd_bus_message **m), (call, m))
LATE_FUNCTION(int, sd_bus_message_new_method_error, (sd_bus_message *call, sd_bus_message **m, const sd_bus_error *e),
        (call, m, e))
LATE_FUNCTION(sd_bus_message *, sd_bus_message_unref, (sd_bus_message *m), (m))
LATE_FUNCTION(const char *, sd_bus_message_get_path, (sd_bus_message *m), (m))
LATE_FUNCTION(const char *, sd_bus_message_get_interface, (sd_bus_message *m), (m))
LATE_FUNCTION(const char *, sd_bus_message_get_member, (sd_bus_message *m), (m))
LATE_FUNCTION(const char *, sd_bus_message_get_sender, (sd_bus_message *m), (m))
LATE_FUNCTION(const sd_bus_error *, sd_bus_message_get_error, (sd_bus_message *m), (m))
LATE_FUNCTION(int, sd_bus_message_set_auto_start, (sd_bus_message *m, int b), (m, b))
LATE_FUNCTION(int, sd_bus_message_append_basic, (sd_bus_message *m, char type, const void *p), (m, type, p))
LATE_FUNCTION(int, sd_bus_message_open_container, (sd_bus_message *m, char type, const char *contents),
        (m, type, contents))
LATE_FUNCTION(int, sd_bus_message_close_container, (sd_bus_message *m), (m))
LATE_FUNCTION(int, sd_bus_message_read_basic, (sd_bus_message *m, char type, void *p), (m, type, p))
LATE_FUNCTION(int, sd_bus_message_enter_container, (sd_bus_message *m, char type, const char *contents),
        (m, type, contents))
LATE_FUNCTION(int, sd_bus_message_exit_container, (sd_bus_message *m), (m))
LATE_FUNCTION(int, sd_bus_message_peek_type, (sd_bus_message *m, char *type, const char **contents),
        (m, type, contents))

int kine_load_sdbus(void) { return late_library() != 0; }
