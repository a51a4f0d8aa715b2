/**
 * The official client with its defaults and tuned, and a bare socket as the upper limit. Everything runs on the main
 * thread of the driver's process, except for the work of the library's own threads.
 */
@NullMarked
package dev.weir.drivers.kafka;

import org.jspecify.annotations.NullMarked;
