/**
 * The contract for custom sources, sinks and stages. A stage pulls batches from its upstream stage, and
 * acknowledgements go back to the source that owns the elements. Each stage is confined to one thread; only
 * {@link dev.weir.stream.spi.AckTarget} is used by several threads.
 */
@NullMarked
package dev.weir.stream.spi;

import org.jspecify.annotations.NullMarked;
