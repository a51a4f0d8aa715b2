/**
 * The Asimov pipeline in shapes that differ only in their threads. Everything runs on the main thread of the driver's
 * process, except for the work of Weir's own threads.
 */
@NullMarked
package dev.weir.drivers.asimov;

import org.jspecify.annotations.NullMarked;
