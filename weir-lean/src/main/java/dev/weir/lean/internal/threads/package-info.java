/**
 * The threads of {@link dev.weir.lean.LeanThreads}, each with its own lean consumer; their partitions, which move
 * between them; and the lock for copying records.
 */
@NullMarked
package dev.weir.lean.internal.threads;

import org.jspecify.annotations.NullMarked;
