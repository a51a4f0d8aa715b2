/**
 * Parallel Consumer, with the newest client that it runs on. Everything runs on the main thread of the driver's
 * process, unless the library has threads of its own.
 */
@NullMarked
package dev.weir.drivers.parallelconsumer;

import org.jspecify.annotations.NullMarked;
