/**
 * From the client's poll to the pipeline: records come in on the one owner thread of a consumer, wait in a buffer, and go
 * out by the source's pull; acknowledgements come back as commits. The owner thread holds the client, the assignment and
 * the trackers; only the buffer is shared.
 */
@NullMarked
package dev.weir.kafka.internal.consumer;

import org.jspecify.annotations.NullMarked;
