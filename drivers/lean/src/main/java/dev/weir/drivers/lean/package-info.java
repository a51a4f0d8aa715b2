/**
 * The lean consumer and the lean producer without a pipeline. The main thread of the driver's process drives each of
 * them.
 */
@NullMarked
package dev.weir.drivers.lean;

import org.jspecify.annotations.NullMarked;
