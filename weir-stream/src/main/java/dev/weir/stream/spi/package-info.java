/**
 * The contract for sources, sinks and stages of your own: batches come in by pull, acknowledgements go back to their
 * owner. Each stage is confined to the thread of its segment; only {@link dev.weir.stream.spi.AckTarget} is shared.
 */
@NullMarked
package dev.weir.stream.spi;

import org.jspecify.annotations.NullMarked;
