/**
 * Acknowledgements that combine others: pending acknowledgements of elements come in, one target for all of them goes
 * out. A target is thread-safe because acknowledgements end on any thread; only the stage that creates it fills it.
 */
@NullMarked
package dev.weir.stream.internal.ack;

import org.jspecify.annotations.NullMarked;
