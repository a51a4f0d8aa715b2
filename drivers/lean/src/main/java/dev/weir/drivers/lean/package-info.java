/** The lean consumer by itself. Everything runs on the main thread of the driver's process. */
@NullMarked
package dev.weir.drivers.lean;

import org.jspecify.annotations.NullMarked;
