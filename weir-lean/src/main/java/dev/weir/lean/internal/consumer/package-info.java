/**
 * Partitions, the brokers that lead them, and the fetching of the ones from the others. Runs on the thread that polls;
 * what fails for good goes up as an exception, what passes is tried again.
 */
@NullMarked
package dev.weir.lean.internal.consumer;

import org.jspecify.annotations.NullMarked;
