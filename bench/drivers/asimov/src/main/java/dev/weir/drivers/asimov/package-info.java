/**
 * Drivers that run the pipeline of the Asimov example. They differ only in the threads on which its steps run.
 * Everything runs on the main thread of the driver's process, except for the work of Weir's own threads.
 */
@NullMarked
package dev.weir.drivers.asimov;

import org.jspecify.annotations.NullMarked;
