/** Fused operators: they pull batches, modify them and return them, all on the same thread. */
@NullMarked
package dev.weir.stream.internal.operator;

import org.jspecify.annotations.NullMarked;
