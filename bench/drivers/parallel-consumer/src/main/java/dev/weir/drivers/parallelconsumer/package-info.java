/**
 * Parallel Consumer, with the newest client that it supports. Everything runs on the main thread of the driver's
 * process, except for the work of the library's own threads.
 */
@NullMarked
package dev.weir.drivers.parallelconsumer;

import org.jspecify.annotations.NullMarked;
