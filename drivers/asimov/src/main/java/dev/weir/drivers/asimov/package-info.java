/**
 * Asimov in shapes that differ in threads only. Everything runs on the main thread of the driver's
 * process, unless Weir has threads of its own.
 */
@NullMarked
package dev.weir.drivers.asimov;

import org.jspecify.annotations.NullMarked;
