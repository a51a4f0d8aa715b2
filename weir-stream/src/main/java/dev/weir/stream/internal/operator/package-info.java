/**
 * Fused operators: they pull batches, modify them and return them, all on the same thread. Each operator has its own
 * class.
 */
@NullMarked
package dev.weir.stream.internal.operator;

import org.jspecify.annotations.NullMarked;
