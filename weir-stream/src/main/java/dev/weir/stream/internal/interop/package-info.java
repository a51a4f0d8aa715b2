/**
 * The bridge between {@link java.util.concurrent.Flow} and a pipeline: signals of a publisher come in through a bounded
 * inbox, elements go out to subscribers as they request them. State that crosses threads is under the lock of the
 * {@code PublisherInbox} or the {@code FanoutSink}; the rest is confined to the segment's thread.
 */
@NullMarked
package dev.weir.stream.internal.interop;

import org.jspecify.annotations.NullMarked;
