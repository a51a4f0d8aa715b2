/**
 * Drivers for the lean consumer and the lean producer without a pipeline. They run on the main thread of the driver's
 * process.
 */
@NullMarked
package dev.weir.drivers.lean;

import org.jspecify.annotations.NullMarked;
