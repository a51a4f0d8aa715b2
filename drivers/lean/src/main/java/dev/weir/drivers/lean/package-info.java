/** The lean consumer and the lean producer by themselves, each driven by the main thread of the driver's process. */
@NullMarked
package dev.weir.drivers.lean;

import org.jspecify.annotations.NullMarked;
