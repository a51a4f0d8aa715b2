/**
 * Several lean consumers as one: which thread reads which partition, and how a partition goes from one to another. And
 * a lock for what threads share for the copy of a record.
 */
@NullMarked
package dev.weir.lean.internal.threads;

import org.jspecify.annotations.NullMarked;
