/**
 * Acknowledgement targets that combine the pending acknowledgements of several elements, or wrap the targets of
 * elements in a substream. A combined target is filled only by the stage that creates it. Targets are thread-safe,
 * because pending acknowledgements may end on any thread.
 */
@NullMarked
package dev.weir.stream.internal.ack;

import org.jspecify.annotations.NullMarked;
