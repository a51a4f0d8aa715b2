/**
 * The contract for custom sources, sinks and stages: a stage pulls batches from the stage above; acknowledgements go
 * back to their owner. Each stage is confined to the thread of its segment; only {@link dev.weir.stream.spi.AckTarget}
 * is shared.
 */
@NullMarked
package dev.weir.stream.spi;

import org.jspecify.annotations.NullMarked;
