/**
 * The bridge between {@link java.util.concurrent.Flow} and a pipeline. A publisher's signals arrive through a bounded
 * inbox; elements are passed to subscribers as they request them. State shared by several threads is guarded by the
 * lock of {@code PublisherInbox} or {@code FanoutSink}. All other state is confined to the stage's thread.
 */
@NullMarked
package dev.weir.stream.internal.interop;

import org.jspecify.annotations.NullMarked;
