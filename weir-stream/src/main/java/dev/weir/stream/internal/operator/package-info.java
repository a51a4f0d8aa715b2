/**
 * Fused operators: they pull batches, modify them and return them, on their segment's thread. Each operator has its own
 * class.
 */
@NullMarked
package dev.weir.stream.internal.operator;

import org.jspecify.annotations.NullMarked;
