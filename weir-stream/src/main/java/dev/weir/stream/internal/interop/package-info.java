/**
 * The bridge between {@link java.util.concurrent.Flow} and a pipeline. A publisher's elements arrive through a bounded
 * inbox; subscribers get elements as they request them. The locks of {@code PublisherInbox} and {@code FanoutSink}
 * guard state that several threads share. All other state is confined to the stage's thread.
 */
@NullMarked
package dev.weir.stream.internal.interop;

import org.jspecify.annotations.NullMarked;
