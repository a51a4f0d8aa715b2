/**
 * Acknowledgement targets that combine the pending acknowledgements of several elements, or wrap the targets of
 * elements in a substream. One stage fills a combined target. Targets are thread-safe, because pending acknowledgements
 * may end on any thread.
 */
@NullMarked
package dev.weir.stream.internal.ack;

import org.jspecify.annotations.NullMarked;
