/**
 * Drivers for the official client, with default settings and with tuned settings, and drivers for bare sockets, whose
 * rates are the upper limit. Everything runs on the main thread of the driver's process, except for the work of the
 * library's own threads.
 */
@NullMarked
package dev.weir.drivers.kafka;

import org.jspecify.annotations.NullMarked;
