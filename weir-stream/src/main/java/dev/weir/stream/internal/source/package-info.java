/**
 * The sources behind the methods of {@link dev.weir.stream.Source}. Elements come from user code or from other threads,
 * and leave in batches. Each instance is used for one run and confined to the thread that runs it unless stated
 * otherwise.
 */
@NullMarked
package dev.weir.stream.internal.source;

import org.jspecify.annotations.NullMarked;
