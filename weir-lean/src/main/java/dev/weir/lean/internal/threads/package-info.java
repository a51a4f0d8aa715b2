/** Several lean consumers as one: which thread reads which partition, and how a partition goes from one to another. */
@NullMarked
package dev.weir.lean.internal.threads;

import org.jspecify.annotations.NullMarked;
