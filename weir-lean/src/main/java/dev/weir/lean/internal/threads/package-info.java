/**
 * Several lean consumers behind one facade: the assignment of partitions to threads, and moves between threads. Also
 * contains the lock for copying records.
 */
@NullMarked
package dev.weir.lean.internal.threads;

import org.jspecify.annotations.NullMarked;
