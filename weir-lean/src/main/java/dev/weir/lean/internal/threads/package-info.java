/**
 * The threads behind {@link dev.weir.lean.LeanThreads}, each with its own lean consumer. Partitions are assigned to the
 * threads and moved between them. This package also contains the lock for copying records.
 */
@NullMarked
package dev.weir.lean.internal.threads;

import org.jspecify.annotations.NullMarked;
