/**
 * Acknowledgement targets that combine others: they take over the pending acknowledgements of several elements and
 * provide one target for all of them. A target is thread-safe, because its pending acknowledgements may end on any
 * thread; only the stage that creates it fills it.
 */
@NullMarked
package dev.weir.stream.internal.ack;

import org.jspecify.annotations.NullMarked;
