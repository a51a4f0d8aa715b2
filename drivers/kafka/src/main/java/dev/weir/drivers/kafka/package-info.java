/**
 * The official client, as it is and tuned, and a bare socket as the ceiling. Everything runs on the main thread of the
 * driver's process, unless the library has threads of its own.
 */
@NullMarked
package dev.weir.drivers.kafka;

import org.jspecify.annotations.NullMarked;
