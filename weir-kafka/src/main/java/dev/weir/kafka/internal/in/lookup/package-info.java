/**
 * Asynchronous broker queries, and the clock and log of the owner thread. The returned {@code CompletionStage}s may
 * complete on any thread. All other packages of the consumer may depend on this package; it depends on none of them.
 */
@NullMarked
package dev.weir.kafka.internal.in.lookup;

import org.jspecify.annotations.NullMarked;
