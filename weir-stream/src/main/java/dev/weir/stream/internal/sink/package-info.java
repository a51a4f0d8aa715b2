/**
 * The sinks behind the methods of {@link dev.weir.stream.Sink}, which consume batches and produce a result. Each
 * instance is used for one run and confined to the thread that runs it unless stated otherwise.
 */
@NullMarked
package dev.weir.stream.internal.sink;

import org.jspecify.annotations.NullMarked;
